package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.engine.UnsupportedRequestException;
import io.rdma.types.RemoteMemory;
import org.junit.jupiter.api.Test;

class AbilitiesTest {
    private static final Abilities IWARP = new Abilities("siw0", false, false, false, 1);
    private static final WorkRequest ATOMIC = WorkRequest.compareAndSwap(new RemoteMemory(8, 8, 1), 1, 2);

    @Test
    void refusalNamesOperationDeviceAndRemedy() {
        assertThatThrownBy(() -> IWARP.require(ATOMIC))
                .isInstanceOf(UnsupportedRequestException.class)
                .hasMessage(
                        "ATOMIC_CMP_AND_SWP cannot be posted: siw0 has no atomics: let the owner of the memory change"
                                + " it when a message asks for it");
    }

    @Test
    void deviceThatHasEverythingRefusesNothing() {
        assertThatCode(() -> Abilities.ALL.require(ATOMIC)).doesNotThrowAnyException();
    }
}
