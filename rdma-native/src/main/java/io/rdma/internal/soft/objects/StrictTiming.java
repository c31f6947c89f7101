package io.rdma.internal.soft.objects;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

// Invariants (in a turn of the device)
// - Withheld doorbells and completions keep the device's thread awake, and each of its turns releases each of them with
// probability 1/2. So none waits for an event that never comes.
// - A withheld doorbell stays rung, so that later ones coalesce with it.

/**
 * Random choice where the specification leaves timing to the device: when the device sees a doorbell, when a completion
 * becomes visible, and the order of completions of different work queues (IB specification volume 1, 10.8.5 and
 * 11.4.2). Enabled by {@code -Dio.rdma.soft.strict=SEED}. It exposes programs that rely on the timing of a fast device.
 */
public final class StrictTiming {
    /** System property: a seed, or {@code true}. */
    static final String PROPERTY = "io.rdma.soft.strict";

    /** One doorbell, and one completion, out of this many is withheld. */
    private static final int ONE_OUT_OF = 8;

    private final SplittableRandom chance;
    private final ArrayDeque<SoftQp> doorbells = new ArrayDeque<>();
    private final List<SoftCq> withholding = new ArrayList<>();

    private StrictTiming(long seed) {
        chance = new SplittableRandom(seed);
    }

    /** Returns the timing that the system property selects, or null if nothing is withheld. */
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

    /** Decides whether to withhold a doorbell; if so, keeps it for {@link #release}. */
    public boolean overlooks(SoftQp rang) {
        if (chance.nextInt(ONE_OUT_OF) != 0) {
            return false;
        }
        doorbells.add(rang);
        return true;
    }

    /** Decides whether to withhold a completion; if so, {@link #release} soon calls {@link SoftCq#show}. */
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

    /** Decides whether a completion overtakes one of another work queue. */
    boolean overtakes() {
        return chance.nextBoolean();
    }

    public boolean isPending() {
        return !doorbells.isEmpty() || !withholding.isEmpty();
    }

    /** Releases some of the withheld doorbells and completions. Called in each turn of the device's thread. */
    public void release(Consumer<SoftQp> heard) {
        for (int i = doorbells.size(); i > 0; i--) {
            SoftQp rang = doorbells.poll();
            if (rang == null) {
                break; // a released doorbell made the device forget a queue pair
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

    /** Drops the withheld doorbells of a queue pair that is destroyed. */
    public void forget(SoftQp qp) {
        doorbells.remove(qp);
    }
}
