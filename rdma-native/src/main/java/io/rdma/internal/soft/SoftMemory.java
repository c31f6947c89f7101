package io.rdma.internal.soft;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.ACCESS_FLUSHES;
import static io.rdma.internal.ibv.MemoryPlacement.ACCESS_FLUSH_PERSISTENT;

import io.rdma.internal.ffi.MemoryVerbs;
import io.rdma.internal.ibv.DeviceAttrEx;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.MappedFiles;
import io.rdma.internal.soft.device.SoftDevice;
import io.rdma.internal.soft.objects.Pacer;
import io.rdma.internal.soft.objects.Personality;
import io.rdma.internal.soft.objects.SoftContext;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftDm;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftTd;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.jspecify.annotations.Nullable;

// Invariant: the monitor of the verbs serialises the control path. Regions are changed on the device thread only.

/** Implementation of {@link MemoryVerbs} by the software device, without dma-bufs. */
final class SoftMemory implements MemoryVerbs {
    private static final long MAX_DM = 1 << 26;
    private static final int PACED = 1 << QPT_RC | 1 << QPT_UC | 1 << QPT_UD | 1 << QPT_XRC_SEND;
    private static final long CLOCK_BITS = -1;
    private static final long CLOCK_KHZ = 1_000_000; // a tick is 1 ns
    private static final int MAX_LOG_ALIGN = 12;
    private static final int REREG_FLAGS = REREG_MR_CHANGE_TRANSLATION | REREG_MR_CHANGE_PD | REREG_MR_CHANGE_ACCESS;

    private static final String ON_DEMAND_PAGING =
            "on-demand paging: it needs Linux 5.14, and a seccomp profile that allows process_vm_readv(2)";

    private static final String FLUSH =
            "FLUSH of that type: register without the right, and use a read after the writes for visibility";

    private final SoftVerbs verbs;

    SoftMemory(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    /** Refuses a registration if its parameters are invalid, or not those of this device. */
    void check(String call, long address, long length, long iova, int access) {
        if (verbs.personality().pages(access)) {
            verbs.require(call, verbs.personality().hasOnDemandPaging(), ON_DEMAND_PAGING);
        }
        boolean remoteWrite = (access & (ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC)) != 0;
        boolean everything = (access & ACCESS_ON_DEMAND) != 0 && SoftMr.isEverything(address, length);
        boolean atomics = (access & ACCESS_REMOTE_ATOMIC) != 0;
        int flushes = access & ACCESS_FLUSHES;
        if (flushes != 0) {
            verbs.require(call, (flushes & ~verbs.personality().flushRights()) == 0, FLUSH);
        }
        if ((flushes & ACCESS_FLUSH_PERSISTENT) != 0 && !MappedFiles.covers(address, length)) {
            throw invalid(
                    call,
                    "FLUSH_PERSISTENT needs memory of a file: map one with FileChannel.map in the mode READ_WRITE, not"
                            + " in a file system in memory");
        }
        if (everything && iova != 0) {
            throw invalid(call, "The region over all memory begins at 0, but iova is " + hex(iova));
        }
        if (!everything && (length <= 0 || address < 0 || length > SoftMr.EVERYTHING - address)) {
            throw invalid(
                    call,
                    "A region has at least 1 byte and ends below 2^63 - 1, but the address is " + hex(address)
                            + " and the length is " + Long.toUnsignedString(length));
        }
        if (!everything && Long.compareUnsigned(iova + length, iova) < 0) {
            throw invalid(call, "The range ends above 2^64: iova is " + hex(iova) + ", the length is " + length);
        }
        if (remoteWrite && (access & ACCESS_LOCAL_WRITE) == 0) {
            throw invalid(
                    call, "A region with remote writes or atomics needs LOCAL_WRITE, but access is " + hex(access));
        }
        if (atomics && verbs.personality().pages(access) && SoftMr.isVast(length)) {
            throw new VerbsException(
                    call,
                    Errno.EOPNOTSUPP,
                    "On-demand memory of " + Long.toUnsignedString(length)
                            + " bytes has no atomics here: register the memory of the atomics on its own");
        }
    }

    private static VerbsException invalid(String call, String reason) {
        return new VerbsException(call, Errno.EINVAL, reason);
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    @Override
    public DeviceAttrEx queryDeviceEx(long context) {
        verbs.object("ibv_query_device_ex", context, SoftContext.class);
        Personality personality = verbs.personality();
        boolean limits = personality.limitsRates();
        return new DeviceAttrEx(
                personality.hasOnDemandPaging() ? ODP_SUPPORT | ODP_SUPPORT_IMPLICIT : 0,
                personality.onDemandOperations(Opcode.RC),
                personality.onDemandOperations(Opcode.UC),
                personality.onDemandOperations(Opcode.UD),
                personality.onDemandOperations(Opcode.XRC),
                CLOCK_BITS,
                CLOCK_KHZ,
                Integer.toUnsignedLong(personality.capabilities()) | personality.placement(),
                limits ? Pacer.LOWEST_RATE : 0,
                limits ? Pacer.HIGHEST_RATE : 0,
                limits ? PACED : 0,
                MAX_DM);
    }

    @Override
    public Mr reregMr(long mr, int flags, long pd, long address, long length, int access) {
        synchronized (verbs) {
            SoftMr region = verbs.object("ibv_rereg_mr", mr, SoftMr.class);
            boolean moves = (flags & REREG_MR_CHANGE_TRANSLATION) != 0;
            SoftPd to = (flags & REREG_MR_CHANGE_PD) != 0 ? verbs.object("ibv_rereg_mr", pd, SoftPd.class) : region.pd;
            String reason = fixed(region, flags);
            if (reason != null) {
                throw invalid("ibv_rereg_mr", "The region is unchanged: " + reason);
            }
            long newAddress = moves ? address : region.address;
            long newLength = moves ? length : region.length;
            int newAccess = (flags & REREG_MR_CHANGE_ACCESS) != 0 ? access : region.access;
            long newIova = moves ? newAddress : region.iova; // as in C, where a region that moves has no other iova
            check("ibv_rereg_mr", newAddress, newLength, newIova, newAccess);
            SoftDevice on = verbs.device();
            on.call(() -> {
                if (region.windows > 0) {
                    throw SoftDevice.busy("ibv_rereg_mr");
                }
                on.keys().remove(region);
                region.pd.users--;
                region.change(
                        to,
                        newAddress,
                        newLength,
                        newIova,
                        newAccess,
                        moves ? on.keys().fresh() : region.key);
                to.users++;
                on.keys().add(region);
                return 0;
            });
            return new Mr(mr, region.key, region.key);
        }
    }

    private static @Nullable String fixed(SoftMr region, int flags) {
        if (flags == 0 || (flags & ~REREG_FLAGS) != 0) {
            return "the flags are " + hex(flags) + ", not some of " + hex(REREG_FLAGS);
        }
        if (region.dm != null) {
            return "it is one of device memory. Register another region";
        }
        if (region.nothing) {
            return "it is a null region. Allocate another one";
        }
        return region.isEverything() ? "it is the region over all memory. Register another region" : null;
    }

    @Override
    public long allocDm(long context, long length, int logAlign) {
        synchronized (verbs) {
            SoftContext owner = verbs.object("ibv_alloc_dm", context, SoftContext.class);
            if (length <= 0 || length > MAX_DM || logAlign < 0 || logAlign > MAX_LOG_ALIGN) {
                throw new VerbsException(
                        "ibv_alloc_dm",
                        Errno.EINVAL,
                        "Device memory must have from 1 to " + MAX_DM + " bytes, aligned to at most 2 to the power of "
                                + MAX_LOG_ALIGN);
            }
            SoftDm made = new SoftDm(owner, length, Math.max(Long.BYTES, 1L << logAlign));
            owner.users++;
            return verbs.handles.add(made);
        }
    }

    @Override
    public void freeDm(long dm) {
        synchronized (verbs) {
            SoftDm memory = verbs.object("ibv_free_dm", dm, SoftDm.class);
            verbs.release("ibv_free_dm", memory);
            memory.context.users--;
            memory.free();
        }
    }

    @Override
    public Mr regDmMr(long pd, long dm, long offset, long length, int access) {
        synchronized (verbs) {
            SoftPd owner = verbs.object("ibv_reg_dm_mr", pd, SoftPd.class);
            SoftDm memory = verbs.object("ibv_reg_dm_mr", dm, SoftDm.class);
            if ((access & ACCESS_ZERO_BASED) == 0 || !memory.covers(offset, length)) {
                throw new VerbsException(
                        "ibv_reg_dm_mr",
                        Errno.EINVAL,
                        "A region of device memory must be zero-based and lie inside it");
            }
            if ((access & ACCESS_ON_DEMAND) != 0) {
                throw invalid("ibv_reg_dm_mr", "Device memory has no pages: register it without IBV_ACCESS_ON_DEMAND");
            }
            check("ibv_reg_dm_mr", memory.address + offset, length, 0, access);
            return verbs.register(owner, memory, memory.address + offset, length, 0, access);
        }
    }

    @Override
    public void memcpyToDm(long dm, long offset, long from, long length) {
        SoftDm memory = inside("ibv_memcpy_to_dm", dm, offset, length);
        NativeMemory.copy(from, memory.address + offset, length);
    }

    @Override
    public void memcpyFromDm(long to, long dm, long offset, long length) {
        SoftDm memory = inside("ibv_memcpy_from_dm", dm, offset, length);
        NativeMemory.copy(memory.address + offset, to, length);
    }

    private SoftDm inside(String call, long dm, long offset, long length) {
        SoftDm memory = verbs.object(call, dm, SoftDm.class);
        if (!memory.covers(offset, length)) {
            throw new VerbsException(call, Errno.EFAULT, "The range does not lie inside the device memory");
        }
        return memory;
    }

    @Override
    public long allocParentDomain(long context, long pd, long td) {
        synchronized (verbs) {
            SoftContext owner = verbs.object("ibv_alloc_parent_domain", context, SoftContext.class);
            SoftPd parent = verbs.object("ibv_alloc_parent_domain", pd, SoftPd.class);
            SoftTd threads = td == 0 ? null : verbs.object("ibv_alloc_parent_domain", td, SoftTd.class);
            parent.users++;
            owner.users++;
            if (threads != null) {
                threads.users++;
            }
            return verbs.handles.add(new SoftPd(owner, parent, threads));
        }
    }

    @Override
    public void adviseMr(long pd, int advice, boolean flush, long address, int length, int lkey) {
        Advice followed;
        synchronized (verbs) {
            SoftPd domain = verbs.object("ibv_advise_mr", pd, SoftPd.class);
            verbs.require("ibv_advise_mr", verbs.personality().hasOnDemandPaging(), ON_DEMAND_PAGING);
            followed = new Advice(verbs.device(), domain, advice);
        }
        followed.follow(address, Integer.toUnsignedLong(length), lkey); // paging may take long: without the monitor
    }

    @Override
    public int resizeCq(long cq, int cqe) {
        SoftCq queue = verbs.object("ibv_resize_cq", cq, SoftCq.class);
        int most = verbs.personality().limits().cqe();
        if (cqe < 1 || cqe > most || !queue.resize(cqe)) {
            throw new VerbsException(
                    "ibv_resize_cq",
                    Errno.EINVAL,
                    "Entries must be from 1 to " + most + ", and hold the completions in the queue");
        }
        return cqe;
    }
}
