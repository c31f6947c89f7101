package io.rdma.samples.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.GidType;
import io.rdma.types.LinkLayer;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The choice of a GID from tables as devices have them. */
class LocalGidTest {
    private static final GidTableEntry LINK_LOCAL = entry("fe80::1", 0, 1, GidType.ROCE_V2);
    private static final GidTableEntry GLOBAL = entry("2001:db8::1", 1, 1, GidType.ROCE_V2);
    private static final GidTableEntry VERSION_1 = entry("192.0.2.1", 2, 1, GidType.ROCE_V1);
    private static final GidTableEntry IPV4 = entry("192.0.2.1", 3, 1, GidType.ROCE_V2);
    private static final GidTableEntry OTHER_PORT = entry("192.0.2.2", 0, 2, GidType.ROCE_V2);

    private static GidTableEntry entry(String address, int index, int port, GidType type) {
        try {
            return new GidTableEntry(Gid.of(InetAddress.getByName(address)), index, port, type);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void ipv4ComesBeforeGlobalIpv6AndThatBeforeLinkLocal() {
        assertThat(LocalGid.best(List.of(LINK_LOCAL, GLOBAL, VERSION_1, IPV4), 1, LinkLayer.ETHERNET))
                .contains(IPV4);
        assertThat(LocalGid.best(List.of(LINK_LOCAL, GLOBAL, VERSION_1), 1, LinkLayer.ETHERNET))
                .contains(GLOBAL);
        assertThat(LocalGid.best(List.of(LINK_LOCAL, VERSION_1), 1, LinkLayer.ETHERNET))
                .contains(LINK_LOCAL);
    }

    @Test
    void noGidIsTakenFromAnotherPortOrForRoceVersion1() {
        assertThat(LocalGid.best(List.of(VERSION_1, OTHER_PORT), 1, LinkLayer.ETHERNET))
                .isEmpty();
    }

    @Test
    void anInfinibandPortHasAnyGidButAnEmptyOne() {
        GidTableEntry empty = entry("::", 0, 1, GidType.IB);
        GidTableEntry infiniband = entry("fe80::2", 1, 1, GidType.IB);
        assertThat(LocalGid.best(List.of(empty, infiniband), 1, LinkLayer.INFINIBAND))
                .contains(infiniband);
    }
}
