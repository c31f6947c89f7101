package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.rdma.netty.RdmaSocketChannel;
import io.rdma.testing.TestCertificates;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.netty.DisposableServer;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;

/** HTTP over TLS and HTTP/2 over a device. */
abstract class Http2Contract extends LoopsContract {
    private @Nullable KeyManagerFactory keys;
    private @Nullable TrustManagerFactory trust;

    /** Protocol on the connection. */
    enum Wire {
        HTTPS(HttpProtocol.HTTP11, true),
        H2C(HttpProtocol.H2C, false),
        H2(HttpProtocol.H2, true);

        private final HttpProtocol protocol;
        private final boolean encrypted;

        Wire(HttpProtocol protocol, boolean encrypted) {
            this.protocol = protocol;
            this.encrypted = encrypted;
        }

        private boolean isMultiplexed() {
            return protocol != HttpProtocol.HTTP11;
        }
    }

    @BeforeAll
    void certify(@TempDir Path folder) throws Exception {
        KeyStore own = new TestCertificates(folder).create("server");
        keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, TestCertificates.PASSWORD.toCharArray());
        trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(TestCertificates.certificates(own));
    }

    private HttpServer server(Wire wire) {
        HttpServer server = server().protocol(wire.protocol);
        if (!wire.encrypted) {
            return server;
        }
        GenericSslContextSpec<?> context =
                wire.isMultiplexed() ? Http2SslContextSpec.forServer(keys) : Http11SslContextSpec.forServer(keys);
        return server.secure(spec -> spec.sslContext(context));
    }

    private HttpClient client(Wire wire, int port, int connections) {
        HttpClient client = client(port, connections).protocol(wire.protocol);
        if (!wire.encrypted) {
            return client;
        }
        GenericSslContextSpec<?> context = wire.isMultiplexed()
                ? Http2SslContextSpec.forClient().configure(one -> one.trustManager(trust))
                : Http11SslContextSpec.forClient().configure(one -> one.trustManager(trust));
        return client.secure(spec -> spec.sslContext(context));
    }

    @ParameterizedTest
    @EnumSource
    void bodiesOfAllSizesTravelBothWays(Wire wire) {
        DisposableServer server = bound(HttpExchanges.routed(server(wire)));
        HttpExchanges.bodiesOfAllSizes(client(wire, server.port(), 1));
    }

    @ParameterizedTest
    @EnumSource
    void manyRequestsShareOneConnection(Wire wire) {
        Set<Channel> channels = ConcurrentHashMap.newKeySet();
        DisposableServer server =
                bound(HttpExchanges.routed(server(wire).doOnConnection(one -> channels.add(below(one.channel())))));
        HttpExchanges.concurrent(client(wire, server.port(), 1), 100);
        assertThat(channels).hasSize(1);
    }

    /** Returns the connection, of which a channel of HTTP/2 is one stream. */
    private static Channel below(Channel channel) {
        return channel instanceof RdmaSocketChannel ? channel : below(channel.parent());
    }
}
