package io.rdma.testing.seam;

import io.rdma.environment.Environment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

// Invariants
// - A late queue hides its completions from polls. If it was armed meanwhile, its channel has an event when they
// appear, as it would have if they had arrived then.
// - Events that were invented here are not acknowledged to the library, which does not know them.
// - One thread polls a queue and waits on its channel, as completion loops do.

/** Completion queues whose completions, and the events of these, appear later than they arrived. */
final class LateCompletions {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private record Late(long until, boolean armed) {}

    private final Environment environment;
    private final Map<Long, Long> channels = new ConcurrentHashMap<>();
    private final Map<Long, Late> late = new ConcurrentHashMap<>();
    private final Map<Long, Integer> invented = new ConcurrentHashMap<>(); // events that were not acknowledged

    LateCompletions(Environment environment) {
        this.environment = environment;
    }

    /** Makes a queue hide its completions for some time from now on. */
    void hide(long cq, long nanos) {
        late.put(cq, new Late(environment.nanoTime() + nanos, false));
    }

    private boolean isDue(Late one) {
        return environment.nanoTime() - one.until >= 0;
    }

    /** Passes a call to the library, unless completions are late. */
    Object pass(SeamCall call, SeamTarget target, Object[] arguments) throws Throwable {
        return switch (call.name()) {
            case "Verbs.createCq" -> {
                Object made = target.invoke(arguments);
                channels.put(OpenHandles.handleOf(made), (long) arguments[2]);
                yield made;
            }
            case "Verbs.pollCq" -> hides((long) arguments[0]) ? (Object) 0 : target.invoke(arguments);
            case "Verbs.reqNotifyCq" -> {
                late.computeIfPresent((long) arguments[0], (cq, one) -> new Late(one.until, true));
                yield target.invoke(arguments);
            }
            case "Verbs.pollCompChannel" -> await((long) arguments[0], (int) arguments[1], target);
            case "Verbs.getCqEvent" -> take((long) arguments[0], target);
            case "Verbs.ackCqEvents" -> acknowledge((long) arguments[0], (int) arguments[1], target);
            default -> target.invoke(arguments);
        };
    }

    private boolean hides(long cq) {
        Late one = late.get(cq);
        if (one != null && isDue(one)) {
            late.remove(cq);
            return false;
        }
        return one != null;
    }

    /** Returns the late queue of a channel that has to raise an event, or null. */
    private Long armed(long channel) {
        for (Map.Entry<Long, Late> one : late.entrySet()) {
            if (one.getValue().armed && Long.valueOf(channel).equals(channels.get(one.getKey()))) {
                return one.getKey();
            }
        }
        return null;
    }

    private Object await(long channel, int millis, SeamTarget target) throws Throwable {
        Long cq = armed(channel);
        if (cq == null) {
            return target.invoke(channel, millis);
        }
        Late one = late.get(cq);
        long bound = Math.max(0, (one.until - environment.nanoTime()) / MILLI + 1);
        Object event = target.invoke(channel, (int) (millis < 0 ? bound : Math.min(millis, bound)));
        return (boolean) event || isDue(one);
    }

    private Object take(long channel, SeamTarget target) throws Throwable {
        Long cq = armed(channel);
        if (cq == null || !isDue(late.get(cq))) {
            return target.invoke(channel);
        }
        late.remove(cq);
        invented.merge(cq, 1, Integer::sum);
        return cq;
    }

    private Object acknowledge(long cq, int events, SeamTarget target) throws Throwable {
        int own = Math.min(events, invented.getOrDefault(cq, 0));
        invented.computeIfPresent(cq, (key, count) -> count - own);
        return own == events ? null : target.invoke(cq, events - own);
    }
}
