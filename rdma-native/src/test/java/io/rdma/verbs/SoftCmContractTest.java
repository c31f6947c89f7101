package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.internal.ffi.QpAttr;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        return "224.0.0.251"; // a group
    }

    @Override
    int many() {
        return 64;
    }

    /** A client that is connected with an option, which the library may refuse. @return its queue pair; null if refused */
    private @Nullable QpAttr connectedWith(Consumer<CmIdentifier> option) {
        CmIdentifier listener = listener(host());
        CmIdentifier client = opened.later(clients.createIdentifier(PortSpace.TCP));
        if (!isTaken(() -> option.accept(client))) {
            return null;
        }
        client.resolveAddress(null, address(listener), RESOLVE);
        expect(clients, CmEventType.ADDR_RESOLVED);
        client.resolveRoute(RESOLVE);
        expect(clients, CmEventType.ROUTE_RESOLVED);
        CmEnd clientEnd = opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        CmIdentifier server = request();
        opened.later(CmEnd.of(server));
        server.accept(ConnectionParameters.DEFAULT);
        expect(clients, CmEventType.ESTABLISHED);
        return clientEnd.query();
    }

    /** What has no effect is refused. */
    private static boolean isTaken(Runnable option) {
        try {
            option.run();
            return true;
        } catch (VerbsException e) {
            assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
            assertThat(e.call()).isEqualTo("rdma_set_option");
            return false;
        }
    }

    @Test
    void theAcknowledgeTimeOutIsTheQueuePairs() {
        QpAttr attr = connectedWith(client -> client.setAckTimeout(19));
        assertThat(attr).isNotNull();
        assertThat(attr.timeout()).isEqualTo(19);
        CmIdentifier datagrams = opened.later(clients.createIdentifier(PortSpace.UDP));
        assertThatThrownBy(() -> datagrams.setAckTimeout(19))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void theTypeOfServiceIsThePathsOrRefused() {
        QpAttr attr = connectedWith(client -> client.setTypeOfService(0x68));
        if (attr != null) {
            assertThat(attr.ahAttr()).isNotNull();
            assertThat(attr.ahAttr().trafficClass()).isEqualTo(0x68);
        }
    }

    @Test
    void anAddressIsSharedByThoseThatSaySoOrByNobody() {
        CmIdentifier first = opened.later(servers.createIdentifier(PortSpace.TCP));
        if (!isTaken(() -> first.setReuseAddress(true))) {
            return;
        }
        first.bind(new InetSocketAddress(host(), 0));
        CmIdentifier second = opened.later(servers.createIdentifier(PortSpace.TCP));
        second.setReuseAddress(true);
        second.bind(address(first));
        CmIdentifier third = opened.later(servers.createIdentifier(PortSpace.TCP));
        third.setReuseAddress(false);
        assertThatThrownBy(() -> third.bind(address(first)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anIpv6WildcardIsForIpv4TooUnlessItSaysNot(boolean only) {
        CmIdentifier listener = opened.later(servers.createIdentifier(PortSpace.TCP));
        listener.setIpv6Only(only);
        listener.bind(new InetSocketAddress("::", 0));
        listener.listen(8);
        CmIdentifier client =
                routed(new InetSocketAddress(host(), address(listener).getPort()));
        opened.later(CmEnd.of(client));
        client.connect(ConnectionParameters.DEFAULT);
        if (only) {
            assertThat(expect(clients, CmEventType.REJECTED).status()).isEqualTo(8); // nobody listens there
        } else {
            request();
        }
    }
}
