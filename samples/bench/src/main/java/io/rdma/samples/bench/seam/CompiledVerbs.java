package io.rdma.samples.bench.seam;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.internal.ffi.lib.ProviderCalls;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

// Invariant: posts and polls go through the provider's function pointers, by the same calls of C as those of
// libibverbs. Everything else of the device is that of ImmediateVerbs.

/** A device in C, see {@code immediate.h}, whose requests are complete when the post returns. Its loops must spin. */
public final class CompiledVerbs extends ImmediateVerbs {
    private static final int MOST_INLINE = 96;
    private static final int MOST_ENTRIES = 2;

    private final Map<Long, Integer> states = new ConcurrentHashMap<>();
    private final MethodHandle register;
    private final MethodHandle deregister;
    private final MethodHandle createCq;
    private final MethodHandle destroyCq;
    private final MethodHandle createQp;
    private final MethodHandle qpNumber;
    private final MethodHandle connect;
    private final MethodHandle toState;
    private final MethodHandle destroyQp;

    /**
     * Loads the library of the device.
     *
     * @param library compiled, see {@link CompiledC#library}
     */
    public CompiledVerbs(Path library) {
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
        register = function(symbols, "register", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
        deregister = procedure(symbols, "deregister", JAVA_INT);
        createCq = function(symbols, "create_cq", JAVA_LONG, JAVA_INT);
        destroyCq = procedure(symbols, "destroy_cq", JAVA_LONG);
        createQp = function(symbols, "create_qp", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
        qpNumber = function(symbols, "qp_num", JAVA_INT, JAVA_LONG);
        connect = function(symbols, "connect", JAVA_INT, JAVA_LONG, JAVA_INT);
        toState = procedure(symbols, "to_state", JAVA_LONG, JAVA_INT);
        destroyQp = procedure(symbols, "destroy_qp", JAVA_LONG);
    }

    private static MethodHandle function(
            SymbolLookup symbols, String name, MemoryLayout result, MemoryLayout... arguments) {
        return handle(symbols, name, FunctionDescriptor.of(result, arguments));
    }

    private static MethodHandle procedure(SymbolLookup symbols, String name, MemoryLayout... arguments) {
        return handle(symbols, name, FunctionDescriptor.ofVoid(arguments));
    }

    private static MethodHandle handle(SymbolLookup symbols, String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker()
                .downcallHandle(symbols.find("immediate_" + name).orElseThrow(), descriptor);
    }

    private static Object call(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException("a call of the device in C failed", e);
        }
    }

    private static long created(String what, MethodHandle function, Object... arguments) {
        long object = (long) call(function, arguments);
        if (object == 0) {
            throw new VerbsException(what, Errno.ENOMEM, null);
        }
        return object;
    }

    @Override
    public Mr regMr(long pd, long address, long length, long iova, int access) {
        int key = (int) call(register, address, length, access);
        if (key == 0) {
            throw new VerbsException("ibv_reg_mr", Errno.ENOMEM, "The device in C has no more keys");
        }
        return new Mr(key, key, key);
    }

    @Override
    public void deregMr(long mr) {
        call(deregister, (int) mr);
    }

    @Override
    public synchronized Cq createCq(long context, int cqe, long channel, int compVector) {
        return new Cq(created("ibv_create_cq", createCq, cqe), cqe);
    }

    @Override
    public synchronized void destroyCq(long cq) {
        call(destroyCq, cq);
    }

    @Override
    public synchronized Qp createQp(long pd, QpInitAttr attr) {
        QpCap cap = attr.cap();
        if (cap.maxSendSge() > MOST_ENTRIES || cap.maxRecvSge() > MOST_ENTRIES) {
            throw new VerbsException("ibv_create_qp", Errno.EINVAL, "The device in C takes two entries to a request");
        }
        long qp = created(
                "ibv_create_qp", createQp, attr.sendCq(), attr.recvCq(), cap.maxSendWr(), Math.max(1, cap.maxRecvWr()));
        int inline = Math.min(cap.maxInlineData(), MOST_INLINE);
        return new Qp(
                qp,
                (int) call(qpNumber, qp),
                new QpCap(cap.maxSendWr(), cap.maxRecvWr(), cap.maxSendSge(), cap.maxRecvSge(), inline));
    }

    @Override
    public void modifyQp(long qp, QpAttr attr, int mask) {
        if ((mask & Ibv.QP_DEST_QPN) != 0 && (int) call(connect, qp, attr.destQpNum()) != 0) {
            throw new VerbsException("ibv_modify_qp", Errno.EINVAL, "The peer is in another process");
        }
        if ((mask & Ibv.QP_STATE) != 0) {
            states.put(qp, attr.qpState());
            call(toState, qp, attr.qpState());
        }
    }

    @Override
    public QpAttr queryQp(long qp, int mask) {
        return inState(states.getOrDefault(qp, Ibv.QPS_RESET));
    }

    @Override
    public synchronized void destroyQp(long qp) {
        states.remove(qp);
        call(destroyQp, qp);
    }

    @Override
    public int postSend(long qp, long wr, long badWr) {
        return -ProviderCalls.postSend(qp, wr, badWr);
    }

    @Override
    public int postRecv(long qp, long wr, long badWr) {
        return -ProviderCalls.postRecv(qp, wr, badWr);
    }

    @Override
    public int pollCq(long cq, int numEntries, long wc) {
        return ProviderCalls.pollCq(cq, numEntries, wc);
    }

    @Override
    public int reqNotifyCq(long cq, boolean solicitedOnly) {
        return 0;
    }
}
