package io.rdma.samples.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

// Invariant: one value for each round, in order, so that two figures of a run can be compared round by round.

/** A number that was measured once in each round, or a ratio of two such figures. */
final class Figure {
    private static final String RATIO = "x";
    private static final String OVER = " / ";

    private final String name;
    private final String unit;
    private final String quantity;
    private final List<Double> rounds = new ArrayList<>();
    private @Nullable Bar bar;

    Figure(String name, String unit) {
        this(name, unit, unit);
    }

    /**
     * Creates a figure.
     *
     * @param quantity the unit; for a ratio, that of the compared figures
     */
    Figure(String name, String unit, String quantity) {
        this.name = name;
        this.unit = unit;
        this.quantity = quantity;
    }

    /** Returns the ratio of a figure to another one, round by round. */
    static Figure ratio(Figure figure, Figure base) {
        Figure ratio = new Figure(figure.name + OVER + difference(base.name, figure.name), RATIO, figure.unit);
        for (int round = 0; round < Math.min(figure.rounds.size(), base.rounds.size()); round++) {
            ratio.add(figure.rounds.get(round) / base.rounds.get(round));
        }
        return ratio;
    }

    /** Returns a name without the words, up to commas, that it shares with the beginning or the end of another one. */
    private static String difference(String name, String other) {
        List<String> words = new ArrayList<>(List.of(name.split(", ")));
        List<String> others = new ArrayList<>(List.of(other.split(", ")));
        while (words.size() > 1 && others.size() > 1 && words.getFirst().equals(others.getFirst())) {
            words.removeFirst();
            others.removeFirst();
        }
        while (words.size() > 1 && others.size() > 1 && words.getLast().equals(others.getLast())) {
            words.removeLast();
            others.removeLast();
        }
        return String.join(", ", words);
    }

    void add(double value) {
        rounds.add(value);
    }

    Figure bar(@Nullable Bar wanted) {
        bar = wanted;
        return this;
    }

    String name() {
        return name;
    }

    String unit() {
        return unit;
    }

    String quantity() {
        return quantity;
    }

    boolean isRatio() {
        return unit.equals(RATIO);
    }

    /** Returns whether a higher value is better, as for a rate. */
    boolean isMoreBetter() {
        return quantity.matches(".*/m?s");
    }

    /** Returns the name; for a ratio, without the figure that it is compared with. */
    String subject() {
        return isRatio() && name.contains(OVER) ? name.substring(0, name.indexOf(OVER)) : name;
    }

    /** Returns the question that the figure answers; figures of one question are drawn on one axis. */
    String question() {
        String asked = switch (quantity) {
            case "ns" -> "Processor time of an operation";
            case "clock ns" -> "Time of an operation by the clock";
            case "us" -> "Time there and back";
            case "us/message" -> "Processor time of a message";
            case "us/request" -> "Processor time of a request";
            case "us/MB" -> "Processor time of a megabyte";
            case "us/operation" -> "Processor time of an operation of a store";
            case "messages/ms" -> "Rate of small messages";
            case "requests/s" -> "Rate of requests";
            case "MB/s" -> "Rate of bytes";
            case "ops/ms" -> "Rate of operations";
            case "B" -> "Bytes allocated for an operation";
            case "calls" -> "Calls of the device for an operation";
            default -> quantity;
        };
        if (!isRatio()) {
            return asked.equals(quantity) ? quantity : asked + ", " + quantity;
        }
        return name.contains(OVER)
                ? asked + ", as a multiple of: " + name.substring(name.indexOf(OVER) + OVER.length())
                : asked;
    }

    /** Returns all numbers that a picture of the figure has to cover. */
    DoubleStream extent() {
        return bar == null ? DoubleStream.of(least(), most()) : DoubleStream.of(least(), most(), bar.limit());
    }

    List<Double> rounds() {
        return List.copyOf(rounds);
    }

    @Nullable
    Bar bar() {
        return bar;
    }

    double median() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double least() {
        return rounds.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }

    double most() {
        return rounds.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }
}
