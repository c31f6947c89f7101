package io.rdma.internal.ffi.lib;

import io.rdma.types.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;

/**
 * libibverbs as the dynamic linker finds it. It is loaded once, at first use, and never unloaded, because its providers
 * keep state.
 *
 * <p>The library is not initialised for {@code fork(2)} ({@code ibv_fork_init(3)}) unless the application
 * requests it, see {@link FfmFork}: kernels since 5.12 copy pinned pages themselves, and the JVM starts processes
 * by {@code posix_spawn}.
 */
final class LibIbverbs {
    static final String NAME = "libibverbs.so.1";

    /** The symbols without which the library is not usable. rdma-core has had all of them since its first release. */
    private static final List<String> REQUIRED = List.of(
            "ibv_get_device_list",
            "ibv_free_device_list",
            "ibv_get_device_guid",
            "ibv_open_device",
            "ibv_close_device",
            "ibv_query_device",
            "ibv_query_port",
            "ibv_query_gid",
            "ibv_query_pkey",
            "ibv_alloc_pd",
            "ibv_dealloc_pd",
            "ibv_reg_mr",
            "ibv_dereg_mr",
            "ibv_create_comp_channel",
            "ibv_destroy_comp_channel",
            "ibv_create_cq",
            "ibv_destroy_cq",
            "ibv_create_srq",
            "ibv_modify_srq",
            "ibv_query_srq",
            "ibv_destroy_srq",
            "ibv_create_qp",
            "ibv_modify_qp",
            "ibv_query_qp",
            "ibv_destroy_qp",
            "ibv_get_cq_event",
            "ibv_ack_cq_events",
            "ibv_get_async_event",
            "ibv_ack_async_event");

    private final SymbolLookup lookup;

    private LibIbverbs(SymbolLookup lookup) {
        this.lookup = lookup;
    }

    /**
     * Loads the library under its usual name.
     *
     * @throws RdmaException if it is missing; the message names the remedy
     */
    static LibIbverbs load() {
        return load(NAME);
    }

    /**
     * Loads the library by name or path.
     *
     * @throws RdmaException if it is missing or not libibverbs
     */
    static LibIbverbs load(String name) {
        SymbolLookup lookup;
        try {
            lookup = SymbolLookup.libraryLookup(name, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new RdmaException(
                    "The library " + name
                            + " could not be loaded: install rdma-core (Debian and Ubuntu: libibverbs1 and"
                            + " ibverbs-providers; Fedora and RHEL: libibverbs), or use the software device",
                    e);
        }
        List<String> missing = REQUIRED.stream()
                .filter(symbol -> lookup.find(symbol).isEmpty())
                .toList();
        if (!missing.isEmpty()) {
            throw new RdmaException("The library " + name + " lacks " + String.join(", ", missing)
                    + ": it is not libibverbs, or one from before rdma-core; install rdma-core's libibverbs1");
        }
        return new LibIbverbs(lookup);
    }

    /** Finds a symbol in its default version. */
    Optional<MemorySegment> find(String symbol) {
        return lookup.find(symbol);
    }
}
