package io.rdma.test;

import io.rdma.connect.RdmaResources;
import io.rdma.soft.SoftNetwork;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

// Invariant: everything that a test made through this network is closed in the opposite order, connections before
// servers, and each is tried, even if another one throws.

/**
 * Network of one test or of one class of tests, with what was made on it. {@link RdmaExtension} makes one for each
 * JUnit test; code for other frameworks makes its own. Thread-safe.
 */
public final class TestNetwork implements AutoCloseable {
    /** Longest wait for the start or the end of a connection or server. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Time without a change after which the objects that are open stay open. */
    private static final Duration UNCHANGED = Duration.ofSeconds(5);

    private static final long PAUSE_NANOS = 2_000_000;

    private final SoftNetwork network = SoftNetwork.create();
    private final Deque<Runnable> connections = new ArrayDeque<>();
    private final Deque<Runnable> servers = new ArrayDeque<>();
    private @Nullable RdmaResources resources;
    private int port;
    private boolean inTest;

    /** Creates a network with a device of its own, which is not open. */
    public TestNetwork() {}

    /**
     * Returns the network of the device: its faults, counters and captures.
     *
     * @return always the same object
     */
    public SoftNetwork network() {
        return network;
    }

    /**
     * Returns the device, opened at the first call.
     *
     * @return open until this network is closed
     */
    public synchronized RdmaResources resources() {
        RdmaResources open = resources;
        if (open == null) {
            open = RdmaResources.open(RdmaDevices.named(network.device()));
            resources = open;
        }
        return open;
    }

    /** Returns the port of the server that clients connect to, 0 if there is none. */
    synchronized int port() {
        return port;
    }

    synchronized void setPort(int newPort) {
        port = newPort;
    }

    synchronized void addConnection(Runnable disposing) {
        connections.push(disposing);
    }

    synchronized void addServer(Runnable disposing) {
        servers.push(disposing);
    }

    /**
     * Begins a test on a network that it shares with others.
     *
     * @return false if another test is on it: the end of either would end the connections and faults of both
     */
    synchronized boolean beginTest() {
        boolean alone = !inTest;
        inTest = true;
        return alone;
    }

    /** Disposes the connections of a test that has begun, and makes the links good again. */
    void endTest() {
        network.heal();
        try {
            run(taken(connections));
        } finally {
            synchronized (this) {
                inTest = false;
            }
        }
    }

    /**
     * Disposes the connections and servers that were made with the parameters of a test, closes the resources, and
     * looks for what the test left open. Blocks until what is being closed is closed.
     *
     * @throws AssertionError if the device still has open objects
     */
    @Override
    public void close() {
        network.heal();
        List<Runnable> steps = new ArrayList<>(taken(connections));
        steps.addAll(taken(servers));
        steps.add(this::closeResources);
        steps.add(this::checkLeaks);
        steps.add(network::close);
        run(steps);
    }

    private synchronized List<Runnable> taken(Deque<Runnable> from) {
        List<Runnable> taken = List.copyOf(from);
        from.clear();
        return taken;
    }

    private static void run(List<Runnable> steps) {
        Throwable failure = null;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
    }

    private void closeResources() {
        List<Runnable> steps = new ArrayList<>();
        synchronized (this) {
            if (resources != null) {
                steps.add(resources::close);
            }
        }
        // Clients and servers that have no resources of their own share the open device for some seconds more.
        RdmaResources.shared().open().stream()
                .filter(open -> open.context().name().equals(network.device()))
                .forEach(open -> steps.add(open::close));
        run(steps);
    }

    /** Waits while objects are closed: the clean-up of a cancelled connect, for example, goes on. */
    private void checkLeaks() {
        Map<String, Integer> open = network.openObjects();
        long changed = System.nanoTime();
        while (!open.isEmpty()) {
            if (System.nanoTime() - changed > UNCHANGED.toNanos()) {
                throw new AssertionError("The test left open on " + network.device() + ": " + list(open)
                        + ". Close what it acquired: messages, buffers, regions, grants, and clients, servers and devices"
                        + " that it did not take as a parameter. -Dio.rdma.leakDetection=paranoid logs where a message"
                        + " or buffer was acquired.");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            Map<String, Integer> now = network.openObjects();
            if (!now.equals(open)) {
                open = now;
                changed = System.nanoTime();
            }
        }
    }

    private static String list(Map<String, Integer> open) {
        return open.entrySet().stream()
                .map(type -> type.getValue() + " " + type.getKey())
                .collect(Collectors.joining(", "));
    }
}
