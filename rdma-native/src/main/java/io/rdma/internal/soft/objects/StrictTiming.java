package io.rdma.internal.soft.objects;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants (whoever has the device's turn)
// - What is held back keeps the device's thread awake, and each of its turns lets each go with probability 1/2: nothing
// waits for an event that never comes.
// - A doorbell that is held back stays rung, so that later ones coalesce with it.

/**
 * What the specification leaves to a device, by chance: when it sees a doorbell, when a completion is seen, and in
 * which order those of different work queues are (IB specification volume 1, 10.8.5 and 11.4.2). On with
 * {@code -Dio.rdma.soft.strict=SEED}; programs that rely on a fast device's timing show it then.
 */
public final class StrictTiming {
    /** System property: a seed, or {@code true}. */
    static final String PROPERTY = "io.rdma.soft.strict";

    /** One doorbell, and one completion, out of so many is held back. */
    private static final int ONE_OUT_OF = 8;

    private final SplittableRandom chance;
    private final ArrayDeque<SoftQp> doorbells = new ArrayDeque<>();
    private final List<SoftCq> withholding = new ArrayList<>();

    private StrictTiming(long seed) {
        chance = new SplittableRandom(seed);
    }

    /** As the system property says; null: everything at once. */
    public static @Nullable StrictTiming configured() {
        String value = System.getProperty(PROPERTY, "").strip();
        if (value.isEmpty() || value.equalsIgnoreCase("false")) {
            return null;
        }
        if (value.equalsIgnoreCase("true")) {
            return new StrictTiming(1);
        }
        try {
            return new StrictTiming(Long.parseLong(value));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Set -D" + PROPERTY + " to a seed, true or false, not " + value, e);
        }
    }

    /** Whether a doorbell is not seen yet; then it is kept. */
    public boolean overlooks(SoftQp rang) {
        if (chance.nextInt(ONE_OUT_OF) != 0) {
            return false;
        }
        doorbells.add(rang);
        return true;
    }

    /** Whether a completion is not to be seen yet: {@link SoftCq#show} is called soon. */
    boolean withholds(SoftCq queue, boolean withholdsAlready) {
        if (withholdsAlready) {
            return true;
        }
        if (chance.nextInt(ONE_OUT_OF) != 0) {
            return false;
        }
        withholding.add(queue);
        return true;
    }

    /** Whether a completion overtakes one of another work queue. */
    boolean overtakes() {
        return chance.nextBoolean();
    }

    public boolean isPending() {
        return !doorbells.isEmpty() || !withholding.isEmpty();
    }

    /** A turn of the device's thread: some of what was held back goes on. */
    public void release(Consumer<SoftQp> heard) {
        for (int i = doorbells.size(); i > 0; i--) {
            SoftQp rang = doorbells.poll();
            if (rang == null) {
                break; // what was heard had a queue pair forgotten
            }
            if (chance.nextBoolean()) {
                heard.accept(rang);
            } else {
                doorbells.add(rang);
            }
        }
        for (int i = withholding.size() - 1; i >= 0; i--) {
            if (chance.nextBoolean()) {
                withholding.remove(i).show();
            }
        }
    }

    /** A queue pair is gone. */
    public void forget(SoftQp qp) {
        doorbells.remove(qp);
    }
}
