package io.rdma.internal.soft.link;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The faults of a device's links. Any thread may change them at any time; a change applies from the next packet on. */
public final class FaultPlan {
    /**
     * The faults at one moment.
     *
     * @param others faults of links that have none of their own
     * @param own faults by the peer's address; port 0 stands for any port
     */
    public record Settings(SoftFaults others, Map<InetSocketAddress, SoftFaults> own) {
        public Settings {
            own = Map.copyOf(own);
        }

        boolean none() {
            return others == SoftFaults.NONE && own.isEmpty();
        }

        SoftFaults of(InetSocketAddress peer) {
            SoftFaults exact = own.get(peer);
            SoftFaults found = exact != null ? exact : own.get(new InetSocketAddress(peer.getAddress(), 0));
            return found != null ? found : others;
        }
    }

    private volatile Settings settings;

    public FaultPlan(SoftFaults faults) {
        settings = new Settings(faults, Map.of());
    }

    public Settings settings() {
        return settings;
    }

    /** Sets the faults of all links that have none of their own. */
    public synchronized void setOthers(SoftFaults faults) {
        settings = new Settings(faults, settings.own());
    }

    /**
     * Sets the faults of the link to one device.
     *
     * @param faults null to use those of all other links
     */
    public synchronized void set(InetSocketAddress peer, @Nullable SoftFaults faults) {
        Map<InetSocketAddress, SoftFaults> own = new HashMap<>(settings.own());
        if (faults == null) {
            own.remove(peer);
        } else {
            own.put(peer, faults);
        }
        settings = new Settings(settings.others(), own);
    }

    /** Removes all faults. */
    public synchronized void clear() {
        settings = new Settings(SoftFaults.NONE, Map.of());
    }
}
