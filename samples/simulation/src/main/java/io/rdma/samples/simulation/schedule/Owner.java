package io.rdma.samples.simulation.schedule;

/** What simulated threads belong to, such as a host. The threads that a thread starts have its owner. */
public final class Owner {
    private final String name;
    private boolean alive = true;

    public Owner(String name) {
        this.name = name;
    }

    /** Returns whether the threads run. */
    public boolean isAlive() {
        return alive;
    }

    /** Stops all threads for ever, wherever they are, and all their timers. */
    public void kill() {
        alive = false;
    }

    @Override
    public String toString() {
        return name;
    }
}
