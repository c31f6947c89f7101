package io.rdma.verbs;

/** A program that prepares, waits until that is over, and opens the software device. */
final class PreparedStart {
    /** Which lines are its own: a JVM may say something, too. */
    static final String SAID = "prepared: ";

    private PreparedStart() {}

    public static void main(String[] args) throws InterruptedException {
        RdmaDevices.prepare();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("rdma-prepare")) {
                thread.join();
            }
        }
        RdmaDevices.prepare(); // nothing any more
        RdmaDevice device = RdmaDevices.named("soft0");
        for (int attempt = 0; attempt < 2; attempt++) {
            try (DeviceContext context = device.open()) {
                System.out.println(SAID + "opened " + context.name());
            } catch (Throwable e) {
                System.out.println(SAID + e + " because of " + e.getCause());
            }
        }
    }
}
