package io.rdma.internal.soft.cm;

import io.rdma.types.VerbsException;

// Invariants
// - The device is open as long as an identifier is bound to it. Objects created from the lent context keep it open.
// - Everything is guarded by this object's monitor. The handles do not change while an identifier is bound, so a thread
// with the monitor of a bound identifier reads them without it.

/** Device that the connection manager opens for its identifiers, and whose context it lends to the application. */
final class LentDevice {
    private final CmDevice verbs;
    private long context;
    private long pd;
    private int bound;

    LentDevice(CmDevice verbs) {
        this.verbs = verbs;
    }

    /** Binds an identifier, unless that was done. The first one opens the device. */
    synchronized void bind(SoftCmId id) {
        if (!id.onDevice) {
            if (context == 0) {
                context = verbs.openDevice(verbs.name());
                pd = verbs.allocPd(context);
            }
            bound++;
            id.onDevice = true;
        }
    }

    /** Unbinds an identifier. The last one closes the device, unless the application still uses it. */
    synchronized void unbind(SoftCmId id) {
        if (id.onDevice && --bound == 0) {
            try {
                if (pd != 0) {
                    verbs.deallocPd(pd);
                    pd = 0;
                }
                verbs.closeDevice(context);
                context = 0;
            } catch (VerbsException stillUsed) {
                if (pd == 0) {
                    pd = verbs.allocPd(context);
                }
            }
        }
    }

    /** Returns the handle of the context, while an identifier is bound. */
    long context() {
        return context;
    }

    /** Returns the handle of the protection domain, while an identifier is bound. */
    long pd() {
        return pd;
    }

    byte[] gid() {
        return verbs.queryGidTable(context).getFirst().gid();
    }

    /** Returns how many reads and atomics may be in flight in each direction. */
    int readsAndAtomics() {
        return verbs.queryDevice(context).maxQpRdAtom();
    }
}
