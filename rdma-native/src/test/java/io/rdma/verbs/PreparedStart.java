package io.rdma.verbs;

/** Program that prepares, waits until preparation is over, and opens the software device. */
final class PreparedStart {
    /** Prefix of the program's own lines. The JVM may print others. */
    static final String SAID = "prepared: ";

    private PreparedStart() {}

    public static void main(String[] args) throws InterruptedException {
        RdmaDevices.prepare();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("rdma-prepare")) {
                thread.join();
            }
        }
        RdmaDevices.prepare(); // does nothing any more
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
