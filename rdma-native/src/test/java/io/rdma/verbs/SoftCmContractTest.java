package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SoftCmContractTest extends CmContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }

    @Override
    String host6() {
        return "::1";
    }

    @Override
    String nowhere() {
        return "224.0.0.251"; // a multicast group
    }

    @Override
    int many() {
        return 64;
    }

    @Test
    void optionsWithoutEffectHereAreRefused() {
        CmIdentifier identifier = opened.later(clients.createIdentifier(PortSpace.TCP));
        assertRefused(() -> identifier.setReuseAddress(true));
        identifier.setReuseAddress(false); // the value that it has
    }

    private static void assertRefused(ThrowingCallable option) {
        assertThatThrownBy(option).isInstanceOfSatisfying(VerbsException.class, e -> {
            assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
            assertThat(e.call()).isEqualTo("rdma_set_option");
        });
    }
}
