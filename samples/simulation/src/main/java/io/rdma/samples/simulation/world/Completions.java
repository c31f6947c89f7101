package io.rdma.samples.simulation.world;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Wc;
import io.rdma.samples.simulation.schedule.Trace;
import io.rdma.types.WorkCompletionStatus;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

// Invariant: a run is the same whether it is told or not. So nothing here pauses, and nothing is noted in the digest.

/** A device's calls, passed on. The completions that are polled are told. */
final class Completions implements InvocationHandler {
    private final Object device;
    private final Trace trace;

    private Completions(Object device, Trace trace) {
        this.device = device;
        this.trace = trace;
    }

    /** Returns a device whose completions become lines of a trace, or the device itself if nothing is told. */
    static Verbs told(Verbs device, Trace trace) {
        return trace.isTold() ? (Verbs) between(device, trace) : device;
    }

    private static Object between(Object device, Trace trace) {
        Class<?> type = device.getClass();
        return Proxy.newProxyInstance(type.getClassLoader(), type.getInterfaces(), new Completions(device, trace));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object result;
        try {
            result = method.invoke(device, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        return switch (method.getName()) {
            case "pollCq", "pollEx" -> {
                tell((int) result, (long) Objects.requireNonNull(arguments)[2]);
                yield result;
            }
            case "extended" -> result instanceof ExtendedVerbs ? between(result, trace) : result;
            default -> result;
        };
    }

    /** Tells completions. Those that say the same of several work requests are one line. */
    private void tell(int polled, long completions) {
        for (int begin = 0, end; begin < polled; begin = end) {
            String said = text(completions, begin);
            for (end = begin + 1; end < polled && text(completions, end).equals(said); ) {
                end++;
            }
            long first = Wc.wrId(at(completions, begin));
            trace.tell(
                    end == begin + 1
                            ? "completion: wr_id 0x%x %s".formatted(first, said)
                            : "completions: %d from wr_id 0x%x %s".formatted(end - begin, first, said));
        }
    }

    private static long at(long completions, int index) {
        return completions + (long) index * Wc.SIZE;
    }

    private static String text(long completions, int index) {
        long completion = at(completions, index);
        int status = Wc.status(completion);
        return "of queue pair 0x%x: %s"
                .formatted(
                        Wc.qpNum(completion),
                        status == Ibv.WC_SUCCESS ? operation(completion) : WorkCompletionStatus.of(status));
    }

    private static String operation(long completion) {
        int bytes = Wc.byteLen(completion);
        return switch (Wc.opcode(completion)) {
            case Ibv.WC_SEND -> "SEND";
            case Ibv.WC_RDMA_WRITE -> "RDMA_WRITE";
            case Ibv.WC_RDMA_READ -> "RDMA_READ of " + bytes + " bytes";
            case Ibv.WC_COMP_SWAP -> "COMP_SWAP";
            case Ibv.WC_FETCH_ADD -> "FETCH_ADD";
            case Ibv.WC_BIND_MW -> "BIND_MW";
            case Ibv.WC_LOCAL_INV -> "LOCAL_INV";
            case Ibv.WC_RECV -> "RECV of " + bytes + " bytes";
            case Ibv.WC_RECV_RDMA_WITH_IMM -> "RECV_RDMA_WITH_IMM";
            default -> "opcode " + Wc.opcode(completion);
        };
    }
}
