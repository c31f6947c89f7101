package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ibv.NativeMemory.putInt;
import static io.rdma.internal.ibv.NativeMemory.putLong;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.Mw;
import io.rdma.internal.ibv.MwBind;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.soft.SoftVerbs;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Java side of the provider of libibverbs in {@code src/test/c/soft-provider.c}: functions that C calls, each on an
 * object of {@code soft0}. Objects and results are as in C; handles stand for pointers. A function that fails returns a
 * negative errno.
 */
final class SoftProvider {
    /** Names of the functions in the order of the table of C. */
    private static final List<String> FUNCTIONS = List.of(
            ("open close queryDevice queryPort allocPd deallocPd regMr reregMr deregMr allocMw bindMw deallocMw "
                            + "createChannel destroyChannel createCq resizeCq destroyCq pollCq reqNotifyCq createSrq "
                            + "modifySrq querySrq destroySrq postSrqRecv createQp modifyQp queryQp destroyQp postSend "
                            + "postRecv createAh destroyAh mcast openXrcd closeXrcd createXrcSrq createXrcReceiveQp "
                            + "allocParentDomain adviseMr")
                    .split(" "));

    private static final SoftVerbs SOFT = SoftVerbs.shared();
    private static final Map<Long, Long> QUEUES = new ConcurrentHashMap<>(); // completion queues of C, by handle
    private static final Map<Long, ProviderChannel> CHANNELS = new ConcurrentHashMap<>();

    private SoftProvider() {}

    /** Fills the table of C with the addresses of the functions. */
    static void fill(long table) throws IllegalAccessException {
        for (int i = 0; i < FUNCTIONS.size(); i++) {
            String name = FUNCTIONS.get(i);
            Method function = Stream.of(SoftProvider.class, OptionalProvider.class)
                    .flatMap(one -> Arrays.stream(one.getDeclaredMethods()))
                    .filter(one -> one.getName().equals(name))
                    .findFirst()
                    .orElseThrow();
            MethodType type = MethodType.methodType(long.class, function.getParameterTypes());
            FunctionDescriptor descriptor = FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    type.parameterList().stream()
                            .map(one -> one == long.class ? ValueLayout.JAVA_LONG : ValueLayout.JAVA_INT)
                            .toArray(MemoryLayout[]::new));
            MemorySegment stub = Linker.nativeLinker()
                    .upcallStub(MethodHandles.lookup().unreflect(function), descriptor, Arena.global());
            putLong(table + (long) Long.BYTES * i, stub.address());
        }
    }

    /** Call that may fail. */
    interface Call {
        long run();
    }

    /** Call without a result that may fail. */
    interface Action {
        void run();
    }

    static long result(Call call) {
        try {
            return call.run();
        } catch (VerbsException e) {
            return -e.errno();
        } catch (Throwable e) { // nothing may be thrown into C
            e.printStackTrace();
            return -Errno.EINVAL;
        }
    }

    static long done(Action action) {
        return result(() -> {
            action.run();
            return 0;
        });
    }

    static long open(long vectors) {
        return result(() -> {
            long context = SOFT.openDevice(SOFT.name());
            putInt(vectors, SOFT.numCompVectors(context));
            return context;
        });
    }

    static long close(long context) {
        return done(() -> SOFT.closeDevice(context));
    }

    static long queryDevice(long context, long attr, long extended, long size) {
        return done(() -> {
            ProviderAttributes.write(attr, SOFT.queryDevice(context));
            ProviderAttributes.write(extended, size, SOFT.memory().queryDeviceEx(context));
        });
    }

    static long queryPort(long context, int port, long attr) {
        return done(() -> ProviderAttributes.write(attr, SOFT.queryPort(context, port)));
    }

    static long allocPd(long context) {
        return result(() -> SOFT.allocPd(context));
    }

    static long deallocPd(long pd) {
        return done(() -> SOFT.deallocPd(pd));
    }

    private static long made(Mr mr, long keys) {
        putInt(keys, mr.lkey());
        putInt(keys + Integer.BYTES, mr.rkey());
        return mr.handle();
    }

    static long regMr(long pd, long address, long length, long iova, int access, long keys) {
        return result(() -> made(SOFT.regMr(pd, address, length, iova, access), keys));
    }

    static long reregMr(long mr, int flags, long pd, long address, long length, int access, long keys) {
        return result(() -> made(SOFT.memory().reregMr(mr, flags, pd, address, length, access), keys));
    }

    static long deregMr(long mr) {
        return done(() -> SOFT.deregMr(mr));
    }

    static long allocMw(long pd, int type, long rkey) {
        return result(() -> {
            Mw made = SOFT.windows().allocMw(pd, type);
            putInt(rkey, made.rkey());
            return made.handle();
        });
    }

    static long bindMw(
            long qp, long mw, long wrId, int flags, long mr, long address, long length, int access, long rkey) {
        return done(() ->
                putInt(rkey, SOFT.windows().bindMw(qp, mw, new MwBind(wrId, flags, mr, address, length, access))));
    }

    static long deallocMw(long mw) {
        return done(() -> SOFT.windows().deallocMw(mw));
    }

    static long createChannel(long context, int fd) {
        return result(() -> {
            ProviderChannel made = new ProviderChannel(SOFT, SOFT.createCompChannel(context), fd, QUEUES);
            CHANNELS.put(made.handle(), made);
            return made.handle();
        });
    }

    static long destroyChannel(long channel) {
        return done(() -> {
            CHANNELS.remove(channel).stop();
            SOFT.destroyCompChannel(channel);
        });
    }

    static long createCq(long context, int cqe, long channel, int vector, long queue, long granted) {
        return result(() -> {
            var made = SOFT.createCq(context, cqe, channel, vector);
            putInt(granted, made.cqe());
            QUEUES.put(made.handle(), queue);
            return made.handle();
        });
    }

    static long resizeCq(long cq, int cqe) {
        return result(() -> SOFT.memory().resizeCq(cq, cqe));
    }

    static long destroyCq(long cq) {
        return done(() -> {
            SOFT.destroyCq(cq);
            QUEUES.remove(cq);
        });
    }

    static long pollCq(long cq, int entries, long wc) {
        return result(() -> SOFT.pollCq(cq, entries, wc));
    }

    static long reqNotifyCq(long cq, int solicited) {
        return done(() -> SOFT.reqNotifyCq(cq, solicited != 0));
    }

    static long createSrq(long pd, long attr) {
        return result(() -> {
            Srq made = SOFT.createSrq(pd, SrqAttrLayout.read(attr));
            SrqAttrLayout.write(attr, made.attr());
            return made.handle();
        });
    }

    static long modifySrq(long srq, long attr, int mask) {
        return done(() -> SOFT.modifySrq(srq, SrqAttrLayout.read(attr), mask));
    }

    static long querySrq(long srq, long attr) {
        return done(() -> SrqAttrLayout.write(attr, SOFT.querySrq(srq)));
    }

    static long destroySrq(long srq) {
        return done(() -> SOFT.destroySrq(srq));
    }

    static long postSrqRecv(long srq, long wr, long badWr) {
        return result(() -> SOFT.postSrqRecv(srq, wr, badWr));
    }

    static long createQp(long pd, long init, long number) {
        return result(() -> {
            Qp made = SOFT.createQp(pd, QpInitAttrLayout.read(init));
            putInt(number, made.qpNum());
            QpAttrLayout.writeCap(init + QpInitAttrLayout.CAP, made.cap());
            return made.handle();
        });
    }

    static long modifyQp(long qp, long attr, int mask) {
        return done(() -> SOFT.modifyQp(qp, QpAttrLayout.read(attr), mask));
    }

    static long queryQp(long qp, long attr, int mask, long cap) {
        return done(() -> {
            QpAttr all = SOFT.queryQp(qp, mask | Ibv.QP_STATE);
            QpAttrLayout.write(attr, all);
            QpAttrLayout.writeCap(cap, SOFT.queryQpInit(qp).cap());
        });
    }

    static long destroyQp(long qp) {
        return done(() -> SOFT.destroyQp(qp));
    }

    static long postSend(long qp, long wr, long badWr) {
        return result(() -> SOFT.postSend(qp, wr, badWr));
    }

    static long postRecv(long qp, long wr, long badWr) {
        return result(() -> SOFT.postRecv(qp, wr, badWr));
    }

    static long createAh(long pd, long attr) {
        return result(() -> SOFT.createAh(pd, AhAttrLayout.read(attr)));
    }

    static long destroyAh(long ah) {
        return done(() -> SOFT.destroyAh(ah));
    }

    static long mcast(long qp, long gid, int lid, int attach) {
        return done(() -> {
            if (attach != 0) {
                SOFT.attachMcast(qp, AhAttrLayout.readGid(gid), lid);
            } else {
                SOFT.detachMcast(qp, AhAttrLayout.readGid(gid), lid);
            }
        });
    }
}
