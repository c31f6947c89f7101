package io.rdma.samples.simulation.schedule;

/** Owner of simulated threads, such as a host. A thread has the owner of the thread that starts it. */
public final class Owner {
    private final String name;
    private boolean alive = true;
    private long standsUntil;

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

    /** Stops all threads and timers until a time. */
    public void standStill(long until) {
        standsUntil = Math.max(standsUntil, until);
    }

    /** Returns the virtual time until which threads and timers stand still. */
    long standsUntil() {
        return standsUntil;
    }

    @Override
    public String toString() {
        return name;
    }
}
