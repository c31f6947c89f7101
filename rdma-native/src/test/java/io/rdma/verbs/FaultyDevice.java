package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.DeviceAttr;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.types.AtomicCapability;
import io.rdma.types.Errno;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** {@code soft0} with answers that a test damages on demand, as a broken device or a refusing driver would. */
public final class FaultyDevice {
    /** Number of send requests before one is refused, midway through its chain; -1 for no refusal. */
    public final AtomicInteger refuseSendAfter = new AtomicInteger(-1);

    /** Status of the next completion of a send; 0 for the true one. */
    public final AtomicInteger nextSendStatus = new AtomicInteger();

    /** Status of the next completion of a receive that succeeds; 0 for the true one. */
    public final AtomicInteger nextReceiveStatus = new AtomicInteger();

    /** Length of the next completion of a receive; -1 for the true one. */
    public final AtomicInteger nextReceiveLength = new AtomicInteger(-1);

    /** Exception that the next poll throws. */
    public final AtomicReference<@Nullable RuntimeException> nextPollThrows = new AtomicReference<>();

    /** Error that the next post of sends throws, instead of posting or after it. */
    public final AtomicReference<@Nullable Error> nextSendThrows = new AtomicReference<>();

    /** Whether {@link #nextSendThrows} is thrown after the requests were posted. */
    public volatile boolean throwBehindPost;

    /** Error that the next post of receives throws. */
    public final AtomicReference<@Nullable Error> nextReceiveThrows = new AtomicReference<>();

    /** Errors that the next call of a method of {@link Verbs} throws instead of the call, by the method's name. */
    public final Map<String, Error> nextThrows = new ConcurrentHashMap<>();

    /** Actions that run before the next call of a method of {@link Verbs}, by the method's name. */
    public final Map<String, Runnable> nextRuns = new ConcurrentHashMap<>();

    /** Whether all receives of shared queues are refused. */
    public volatile boolean refuseSharedReceives;

    /** Action that runs after each post of sends, before the post returns. */
    public volatile Runnable behindPost = () -> {};

    /** {@code atomic_cap} of the device; null for the true one. */
    public volatile @Nullable AtomicCapability atomics;

    private volatile long deadQueue;
    private volatile boolean deadToArm;

    /** Makes every poll of a completion queue fail from now on. */
    public void failPolls(CompletionQueue queue) {
        deadQueue = queue.handle();
    }

    /** Makes every arming of a completion queue fail from now on. */
    public void failArming(CompletionQueue queue) {
        deadToArm = true;
        deadQueue = queue.handle();
    }

    /** Creates the device. */
    public RdmaDevice device() {
        Verbs real = SoftVerbs.shared();
        Verbs faulty = (Verbs) Proxy.newProxyInstance(
                Verbs.class.getClassLoader(),
                new Class<?>[] {Verbs.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "postSend" -> {
                        Error instead = throwBehindPost ? null : nextSendThrows.getAndSet(null);
                        if (instead != null) {
                            throw instead;
                        }
                        int result = postSend(real, (long) arguments[0], (long) arguments[1], (long) arguments[2]);
                        Error behind = nextSendThrows.getAndSet(null);
                        if (behind != null) {
                            throw behind;
                        }
                        behindPost.run();
                        yield result;
                    }
                    case "postRecv" -> {
                        Error instead = nextReceiveThrows.getAndSet(null);
                        if (instead != null) {
                            throw instead;
                        }
                        yield invoke(real, method, arguments);
                    }
                    case "postSrqRecv" -> refuseSharedReceives ? -Errno.ENOMEM : invoke(real, method, arguments);
                    case "queryDevice" -> withAtomics((DeviceAttr) invoke(real, method, arguments));
                    case "reqNotifyCq" ->
                        deadToArm && (long) arguments[0] == deadQueue ? -Errno.EIO : invoke(real, method, arguments);
                    case "pollCq" -> pollCq(real, (long) arguments[0], (int) arguments[1], (long) arguments[2]);
                    default -> {
                        Runnable before = nextRuns.remove(method.getName());
                        if (before != null) {
                            before.run();
                        }
                        Error instead = nextThrows.remove(method.getName());
                        if (instead != null) {
                            throw instead;
                        }
                        yield invoke(real, method, arguments);
                    }
                });
        return DeviceOf.only(faulty);
    }

    private DeviceAttr withAtomics(DeviceAttr real) throws ReflectiveOperationException {
        AtomicCapability instead = atomics;
        if (instead == null) {
            return real;
        }
        RecordComponent[] components = DeviceAttr.class.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            values[i] = components[i].getName().equals("atomicCap")
                    ? (Object) instead.code()
                    : components[i].getAccessor().invoke(real);
        }
        return DeviceAttr.class.getDeclaredConstructor(types).newInstance(values);
    }

    private static Object invoke(Verbs real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private int postSend(Verbs real, long qp, long first, long badWr) {
        long before = 0;
        for (long wr = first; wr != 0; wr = SendWr.next(wr)) {
            if (refuseSendAfter.getAndUpdate(left -> left < 0 ? left : left - 1) == 0) {
                if (before != 0) { // the requests before it are posted
                    SendWr.next(before, 0);
                    int result = real.postSend(qp, first, badWr);
                    SendWr.next(before, wr);
                    if (result != 0) {
                        return result;
                    }
                }
                NativeMemory.putLong(badWr, wr);
                return -Errno.ENOMEM;
            }
            before = wr;
        }
        return real.postSend(qp, first, badWr);
    }

    private int pollCq(Verbs real, long cq, int entries, long wc) {
        if (cq == deadQueue && !deadToArm) {
            return -Errno.EIO;
        }
        RuntimeException instead = nextPollThrows.getAndSet(null);
        if (instead != null) {
            throw instead;
        }
        int polled = real.pollCq(cq, entries, wc);
        for (int i = 0; i < polled; i++) {
            long one = wc + (long) i * Wc.SIZE;
            int opcode = Wc.opcode(one);
            if (Wc.status(one) == 0 && (opcode & 128) != 0) {
                int length = nextReceiveLength.getAndSet(-1);
                if (length >= 0) {
                    Wc.byteLen(one, length);
                }
            }
            boolean send = Wc.status(one) == 0 && (opcode & 128) == 0; // IBV_WC_RECV
            boolean receive = Wc.status(one) == 0 && !send;
            int status = send ? nextSendStatus.getAndSet(0) : receive ? nextReceiveStatus.getAndSet(0) : 0;
            if (status != 0) {
                Wc.status(one, status);
                Wc.opcode(one, -1); // undefined, like all but wr_id, status, qp_num and vendor_err
                Wc.byteLen(one, -1);
                Wc.vendorErr(one, 0x42);
            }
        }
        return polled;
    }
}
