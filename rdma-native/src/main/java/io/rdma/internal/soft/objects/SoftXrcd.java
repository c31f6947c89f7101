package io.rdma.internal.soft.objects;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An XRC domain as one caller has opened it: its target queue pairs use the shared receive queues of the domain. */
public final class SoftXrcd extends SoftObject {
    /** The domain itself, which several callers may have opened. */
    private static final class Domain {
        private final @Nullable Object inode;
        private int opened;

        Domain(@Nullable Object inode) {
            this.inode = inode;
        }
    }

    /** The domains of a device that belong to files, by inode. Guarded by the owner. */
    public static final class Files {
        private final Map<Object, Domain> domains = new HashMap<>();

        /** Returns whether a file has a domain. */
        public boolean has(Object inode) {
            return domains.containsKey(inode);
        }
    }

    public final SoftContext context;
    private final Domain domain;

    /**
     * Opens a domain, or creates it.
     *
     * @param inode of its file; null for a domain that nobody else has
     */
    public SoftXrcd(SoftContext context, Files files, @Nullable Object inode) {
        this.context = context;
        domain = inode == null ? new Domain(null) : files.domains.computeIfAbsent(inode, Domain::new);
        domain.opened++;
    }

    /** Ends this use of the domain. */
    public void closed(Files files) {
        if (--domain.opened == 0 && domain.inode != null) {
            files.domains.remove(domain.inode);
        }
    }

    /** Returns whether another caller has opened the same domain. Any thread. */
    public boolean isSameAs(@Nullable SoftXrcd other) {
        return other != null && other.domain == domain;
    }

    @Override
    public String struct() {
        return "ibv_xrcd";
    }
}
