package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.engine.ResourceOptions;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.VerbsException;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.RdmaDevices;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Refusals of on-demand paging that a device does not have, or not for all operations. */
class OnDemandMemoryTest {
    private static final Set<OnDemandOperation> MESSAGES = EnumSet.of(OnDemandOperation.SEND, OnDemandOperation.RECV);

    private static ExtendedDeviceAttributes device(boolean onDemand, Set<OnDemandOperation> rc) {
        Set<OnDemandOperation> ud = EnumSet.of(OnDemandOperation.SEND); // as with several adapters
        return new ExtendedDeviceAttributes(onDemand, false, rc, Set.of(), ud, Set.of(), 0, 0, 0, 0, 0, 0, 0);
    }

    private static void refused(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                .hasMessageContainingAll(parts)
                .hasMessageContaining("ResourceOptions.withOnDemand");
    }

    @Test
    void aDeviceWithoutOnDemandPagingIsNotOpened() {
        ResourceOptions paged = ResourceOptions.DEFAULT.withOnDemand(true);
        refused(() -> new DeviceResources(RdmaDevices.named("soft-small0"), paged).close(), "soft-small0", "RC");
        new DeviceResources(RdmaDevices.named("soft-small0")).close();
    }

    @Test
    void eachOperationOfATransportIsNeeded() {
        ExtendedDeviceAttributes sends = device(true, MESSAGES);
        assertThatCode(() -> OnDemandMemory.require("card0", sends, QueuePairType.RC, MESSAGES))
                .doesNotThrowAnyException();
        Set<OnDemandOperation> more = EnumSet.of(OnDemandOperation.SEND, OnDemandOperation.READ);
        refused(() -> OnDemandMemory.require("card0", sends, QueuePairType.RC, more), "card0", "[READ] of RC");
        refused(() -> OnDemandMemory.require("card0", sends, QueuePairType.UD, MESSAGES), "[RECV] of UD");
        refused(() -> OnDemandMemory.require("card0", device(false, MESSAGES), QueuePairType.RC, MESSAGES), "SEND");
    }
}
