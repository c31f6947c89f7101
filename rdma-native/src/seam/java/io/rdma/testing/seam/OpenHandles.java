package io.rdma.testing.seam;

import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

// Invariant: `open` has each object from its creation to its end. The end removes the object before the library may
// reuse its handle.

/** Model of a library's handles: the objects that are open, and the calls that must not happen. */
final class OpenHandles {
    /**
     * Objects that an object is made from, or that its posted requests use. They stay with it if the device refuses to
     * destroy it.
     */
    private static final Map<String, Set<String>> MADE_FROM = Map.of(
            "qp", Set.of("qp", "srq", "cq", "channel", "mr", "pd", "context"), // mr: of posted receives
            "srq", Set.of("srq", "cq", "channel", "mr", "pd", "context"),
            "cq", Set.of("cq", "channel", "context"),
            "channel", Set.of("channel", "context"),
            "mw", Set.of("mw", "mr", "pd", "context"),
            "mr", Set.of("mr", "pd", "context"),
            "ah", Set.of("ah", "pd", "context"),
            "pd", Set.of("pd", "context"),
            "context", Set.of("context"),
            "id", Set.of("id", "cm channel"));

    /** Kinds in an order in which objects can end: no object stands before one that is made from it. */
    private static final List<String> ORDER =
            List.of("qp", "srq", "cq", "channel", "mw", "mr", "ah", "pd", "context", "qp of an id", "id");

    private static final Queue<String> NONE = new ConcurrentLinkedQueue<>();

    private record Key(String kind, long handle) {}

    /** Destroy call that was made to fail. */
    private record Refused(Key key, SeamTarget target, Object[] arguments) {}

    private final Map<Key, String> open = new ConcurrentHashMap<>();
    private final Set<Key> ended = ConcurrentHashMap.newKeySet();
    private final Map<Key, Queue<String>> calling = new ConcurrentHashMap<>(); // calls under way on an object
    private final Map<Key, Long> contexts = new ConcurrentHashMap<>(); // contexts of open objects, where known
    private final Map<Long, AtomicInteger> unacknowledged = new ConcurrentHashMap<>();
    private final Map<Key, Refused> refused = new ConcurrentHashMap<>();
    private final Set<Key> endedHere = ConcurrentHashMap.newKeySet();
    private final Queue<String> mistakes = new ConcurrentLinkedQueue<>();

    /** Passes a call to the library. */
    Object pass(SeamCall call, SeamTarget target, Object[] arguments) throws Throwable {
        if (!call.ends().isEmpty()) {
            return end(call, target, arguments);
        }
        Object result = call.on().isEmpty() ? target.invoke(arguments) : use(call, target, arguments);
        if (!call.makes().isEmpty()) {
            long handle = call.makes().equals("qp of an id") ? (long) arguments[0] : handleOf(result);
            Key key = new Key(call.makes(), handle);
            ended.remove(key); // pointers of the real library come again
            open.put(key, call.name());
            noteContext(key, arguments);
        }
        switch (call.name()) {
            case "Rdmacm.getCmEvent" -> {
                if (result instanceof CmEventEntry event && event.event() == CmEventType.CONNECT_REQUEST.code()) {
                    open.put(new Key("id", event.id()), "a connection request");
                }
            }
            case "Verbs.getCqEvent" -> unacknowledged((long) result).incrementAndGet();
            case "Verbs.ackCqEvents" -> unacknowledged((long) arguments[0]).addAndGet(-(int) arguments[1]);
            default -> {}
        }
        return result;
    }

    private Object use(SeamCall call, SeamTarget target, Object[] arguments) throws Throwable {
        Key key = new Key(call.on(), (long) arguments[0]);
        if (ended.contains(key)) {
            mistakes.add(call.name() + " on a destroyed " + key.kind);
        }
        Queue<String> under = calling.computeIfAbsent(key, any -> new ConcurrentLinkedQueue<>());
        under.add(call.name());
        try {
            return target.invoke(arguments);
        } finally {
            under.remove(call.name());
        }
    }

    private Object end(SeamCall call, SeamTarget target, Object[] arguments) throws Throwable {
        Key key = new Key(call.ends(), (long) arguments[0]);
        if (endedHere.remove(key)) {
            return null; // the owner tries again, as it should
        }
        String made = open.remove(key);
        if (made == null) {
            mistakes.add(call.name() + " of what is not open");
        }
        Queue<String> under = calling.getOrDefault(key, NONE);
        if (!under.isEmpty()) {
            mistakes.add(call.name() + " during " + under);
        }
        if (call.ends().equals("context")) {
            noteUsers(key.handle);
        }
        if (call.ends().equals("cq") && unacknowledged(key.handle).get() != 0) {
            mistakes.add("ibv_destroy_cq would wait for ever: " + unacknowledged(key.handle)
                    + " events are not acknowledged");
        }
        ended.add(key);
        try {
            Object result = target.invoke(arguments);
            refused.remove(key);
            calling.remove(key);
            return result;
        } catch (Throwable e) {
            if (made != null) {
                ended.remove(key);
                open.put(key, made);
            }
            throw e;
        }
    }

    /** Notes a destroy call that was made to fail. */
    void refuse(SeamCall call, SeamTarget target, Object[] arguments) {
        Key key = new Key(call.ends(), (long) arguments[0]);
        refused.put(key, new Refused(key, target, arguments));
    }

    /** Records the context of an object. The call that made the object names the context or a protection domain. */
    private void noteContext(Key key, Object[] arguments) {
        Long context = switch (key.kind) {
            case "pd", "cq", "channel", "xrcd", "dm", "td" -> (Long) arguments[0];
            case "mr", "mw", "ah", "qp", "srq" -> contexts.get(new Key("pd", (long) arguments[0]));
            default -> null;
        };
        if (context == null) {
            contexts.remove(key);
        } else {
            contexts.put(key, context);
        }
    }

    /**
     * Reports objects that still use a context. ibv_close_device(3) frees it nevertheless, and the next call on such an
     * object would read freed memory.
     */
    private void noteUsers(long context) {
        open.forEach((key, made) -> {
            if (Long.valueOf(context).equals(contexts.get(key))) {
                mistakes.add("ibv_close_device under the " + key.kind + " of " + made);
            }
        });
    }

    private AtomicInteger unacknowledged(long cq) {
        return unacknowledged.computeIfAbsent(cq, handle -> new AtomicInteger());
    }

    static long handleOf(Object result) throws ReflectiveOperationException {
        return result instanceof Long handle
                ? handle
                : (long) result.getClass().getMethod("handle").invoke(result);
    }

    /** Repeats the destroy calls that were made to fail, so that objects that depend on theirs can end. */
    void endRefused() {
        refused.values().stream()
                .sorted(Comparator.comparingInt(one -> rank(one.key)))
                .forEach(this::endRefused);
    }

    private static int rank(Key key) {
        int rank = ORDER.indexOf(key.kind);
        return rank < 0 ? ORDER.size() : rank;
    }

    private void endRefused(Refused one) {
        refused.remove(one.key);
        String made = open.remove(one.key);
        if (made == null) {
            return;
        }
        endedHere.add(one.key);
        ended.add(one.key);
        try {
            one.target.invoke(one.arguments);
        } catch (Throwable e) {
            endedHere.remove(one.key);
            ended.remove(one.key);
            open.put(one.key, made);
            refused.put(one.key, one);
            if (!(e instanceof VerbsException known) || known.errno() != Errno.EBUSY) { // something still uses it
                mistakes.add("the destruction of a " + one.key.kind + " failed once more: " + e);
            }
        }
    }

    /**
     * Returns whether every open object is one that objects whose destruction failed were made from.
     *
     * @param failed calls that were made to fail
     * @return false if none of them destroys an object
     */
    boolean isLeftByRefusalOf(Collection<SeamCall> failed) {
        List<String> kinds = failed.stream()
                .map(SeamCall::ends)
                .filter(kind -> !kind.isEmpty())
                .toList();
        return !kinds.isEmpty()
                && mistakes.isEmpty()
                && open.keySet().stream()
                        .allMatch(key -> kinds.stream()
                                .anyMatch(kind -> MADE_FROM
                                        .getOrDefault(kind, Set.of(kind))
                                        .contains(key.kind)));
    }

    /** Returns the mistakes: objects that are open, and calls that must not happen. */
    List<String> left() {
        List<String> left = new ArrayList<>(mistakes);
        open.forEach((key, made) -> left.add(key.kind + " of " + made + " is open"));
        left.sort(null);
        return left;
    }
}
