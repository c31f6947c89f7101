package io.rdma.samples.bench.exchange;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.List;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.jspecify.annotations.Nullable;

// The driver has one thread, which gives way when it has nothing to do. Three threads, or one that spins, would take
// the processors from the two ends where there are only two. Otherwise the settings are Aeron's own for this transport
// (aeron-ipc.properties). A term fits the memory for sharing that a container has.

/** Aeron's media driver: one for a run, in the memory of the host that the clients of all its processes map. */
public final class AeronDriver implements AutoCloseable {
    private static final String UNCHECKED = "agrona.disable.bounds.checks";
    private static final String OPENED = "jdk.internal.misc";
    private static final String OPENS = "--add-opens=java.base/" + OPENED + "=ALL-UNNAMED";

    private static final int MTU = 8192;
    private static final int TERM_BYTES = 1 << 20;

    private static @Nullable Aeron client;

    private final MediaDriver driver;

    private AeronDriver(MediaDriver driver) {
        this.driver = driver;
    }

    /**
     * Launches the driver in this process.
     *
     * @return to be closed after the other processes have ended
     */
    public static AeronDriver launch() {
        if (!Object.class.getModule().isOpen(OPENED, MediaDriver.class.getModule())) {
            throw new IllegalStateException("Aeron cannot start: give Java the option " + OPENS);
        }
        System.setProperty(UNCHECKED, "true");
        MediaDriver driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new BackoffIdleStrategy())
                .ipcMtuLength(MTU)
                .ipcTermBufferLength(TERM_BYTES)
                .termBufferSparseFile(false)
                .dirDeleteOnShutdown(true));
        System.setProperty(CommonContext.AERON_DIR_PROP_NAME, driver.aeronDirectoryName());
        return new AeronDriver(driver);
    }

    /**
     * Returns the options of another JVM whose Aeron uses this driver.
     *
     * @return options for Java
     */
    public List<String> options() {
        return List.of(
                OPENS,
                "-D" + UNCHECKED + "=true",
                "-D" + CommonContext.AERON_DIR_PROP_NAME + "=" + driver.aeronDirectoryName());
    }

    /** Returns the client of this process, which it connects the first time. */
    static synchronized Aeron client() {
        if (client == null) {
            client = Aeron.connect(new Aeron.Context()
                    .threadFactory(task -> Thread.ofPlatform().daemon().unstarted(task)));
        }
        return client;
    }

    @Override
    public void close() {
        synchronized (AeronDriver.class) {
            if (client != null) {
                client.close();
                client = null;
            }
        }
        driver.close();
    }
}
