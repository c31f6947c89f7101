package io.rdma.samples.simulation.schedule;

/** Owner of simulated threads, such as a host. A thread has the owner of the thread that starts it. */
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
