package io.rdma.samples.simulation.coverage;

/** Class of which a test reaches a part. The test knows its lines. */
final class Example {
    private Example() {}

    static String name(int number) {
        if (number > 0) {
            return "positive";
        }
        return number == 0 ? "zero" : "negative";
    }

    static String other() {
        return "other";
    }
}
