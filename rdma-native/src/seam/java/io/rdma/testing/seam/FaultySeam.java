package io.rdma.testing.seam;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.internal.soft.device.SoftFailure;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.RdmaDevice;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

// Invariants
// - Each call is counted. A fault strikes at one of them, once.
// - A simulation may run this class: it uses the clock of the library's environment, and blocks in parkNanos alone.

/** Device whose seam counts calls, keeps a list of open objects, and fails where a test wants it to. */
public final class FaultySeam {
    /** Time for the consequences of a call before it returns. */
    private static final long CONSEQUENCES_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Time by which completions and events are late. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Verbs real;
    private final Verbs verbs;
    private final List<SeamFault> faults;
    private final Map<String, AtomicInteger> calls = new ConcurrentSkipListMap<>();
    private final Map<Object, Object> proxies = new ConcurrentHashMap<>();
    private final OpenHandles handles = new OpenHandles();
    private final LateCompletions late;
    private final Queue<SeamFault> struck = new ConcurrentLinkedQueue<>();
    private volatile boolean disarmed;
    private volatile Throwable struckAt;

    /**
     * Creates a device.
     *
     * @param real library behind the device
     * @param faults faults to inject
     */
    public FaultySeam(Verbs real, List<SeamFault> faults) {
        this.real = real;
        this.faults = List.copyOf(faults);
        late = new LateCompletions(real.environment());
        verbs = (Verbs) proxy(Verbs.class, real);
    }

    /**
     * Returns the library with the faults.
     *
     * @return the seam of the device
     */
    public Verbs verbs() {
        return verbs;
    }

    /**
     * Returns the device.
     *
     * @param name name of the device
     * @return the device, not yet open
     */
    public RdmaDevice device(String name) {
        return DeviceOf.named(verbs, name);
    }

    /**
     * Returns the only device of the library.
     *
     * @return the device, not yet open
     */
    public RdmaDevice device() {
        return DeviceOf.only(verbs);
    }

    private Object proxy(Class<?> type, Object behind) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> handle(behind, method, arguments));
    }

    private Object handle(Object behind, Method method, Object[] arguments) throws Throwable {
        SeamCall call = SeamCall.of(method);
        if (call == null) {
            Object result = invoke(behind, method, arguments);
            return SeamCall.isPartOfSeam(method.getReturnType())
                    ? proxies.computeIfAbsent(result, one -> proxy(method.getReturnType(), one))
                    : result;
        }
        SeamTarget target = changed -> invoke(behind, method, changed);
        SeamFault fault = due(call);
        if (fault == null) {
            return pass(call, target, arguments);
        }
        struck.add(fault);
        struckAt = new Throwable("the call that was made to fail, by " + Thread.currentThread());
        switch (fault.kind()) {
            case COMPLETED -> {
                Object result = pass(call, target, arguments);
                hold(CONSEQUENCES_NANOS);
                return result;
            }
            case LATE -> {
                if (call.name().equals("Verbs.pollCq")) {
                    late.hide((long) arguments[0], LATE_NANOS);
                } else {
                    hold(LATE_NANOS);
                }
                return pass(call, target, arguments);
            }
            case OVERRUN -> {
                ((SoftVerbs) real).fail(SoftFailure.COMPLETION_QUEUES);
                return pass(call, target, arguments);
            }
            default -> {
                if (!call.ends().isEmpty()) {
                    handles.refuse(call, target, arguments);
                }
                return fail(fault, call, arguments);
            }
        }
    }

    /** Counts a call, and returns the fault that strikes at it, or null. */
    private SeamFault due(SeamCall call) {
        int number =
                calls.computeIfAbsent(call.name(), name -> new AtomicInteger()).incrementAndGet();
        for (SeamFault fault : faults) {
            if (!disarmed && fault.number() == number && fault.call().equals(call.name())) {
                return fault;
            }
        }
        return null;
    }

    private static Object fail(SeamFault fault, SeamCall call, Object[] arguments) {
        switch (fault.kind()) {
            case EXCEPTION -> throw new SeamFault.Thrown(fault);
            case ERROR -> throw new SeamFault.ThrownError(fault);
            default -> {
                if (!call.negative()) {
                    throw new VerbsException(call.function(), call.errno(), "injected: " + fault);
                }
                if (call.name().contains(".post") || call.name().contains(".wrPost")) {
                    NativeMemory.putLong((long) arguments[2], (long) arguments[1]); // bad_wr is the first request
                }
                return -call.errno();
            }
        }
    }

    /** Holds the caller while others go on: the device, the peer, and the threads that take completions and events. */
    private void hold(long nanos) {
        long end = real.environment().nanoTime() + nanos;
        for (long left; (left = end - real.environment().nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }

    private Object pass(SeamCall call, SeamTarget target, Object[] arguments) throws Throwable {
        return handles.pass(call, changed -> late.pass(call, target, changed), arguments);
    }

    private static Object invoke(Object behind, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(behind, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /**
     * Counts the calls of each method.
     *
     * @return a snapshot
     */
    public Map<String, Integer> calls() {
        Map<String, Integer> counts = new TreeMap<>();
        calls.forEach((name, count) -> counts.put(name, count.get()));
        return counts;
    }

    /** Lets no fault strike from now on. */
    public void disarm() {
        disarmed = true;
    }

    /**
     * Returns the faults that have struck.
     *
     * @return a snapshot
     */
    public List<SeamFault> struck() {
        return new ArrayList<>(struck);
    }

    /**
     * Returns the place where a fault struck last.
     *
     * @return the stack of the call; null if no fault has struck
     */
    public Throwable struckAt() {
        return struckAt;
    }

    /** Repeats the destroy calls that were made to fail, so that objects that depend on theirs can end. */
    public void endRefused() {
        handles.endRefused();
    }

    /**
     * Returns whether every open object is one that the objects whose destroy calls failed were made from.
     *
     * @return false if nothing was refused
     */
    public boolean isLeftByRefusal() {
        return handles.isLeftByRefusalOf(
                struck.stream().map(fault -> SeamCall.named(fault.call())).toList());
    }

    /**
     * Returns the mistakes: objects that are open, and calls that must not happen.
     *
     * @return an empty list when nothing is left
     */
    public List<String> left() {
        return handles.left();
    }

    @Override
    public String toString() {
        return faults.isEmpty() ? "without a fault" : faults.toString();
    }
}
