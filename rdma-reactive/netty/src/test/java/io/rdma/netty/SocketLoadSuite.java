package io.rdma.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslClientRenegotiateTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Those of Netty's own tests of sockets that send much, or TLS: too slow for an emulated machine. */
abstract class SocketLoadSuite extends SocketDevice {
    @Nested
    class GatheringWrite extends SocketGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class SpdyEcho extends SocketSpdyEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class SslClientRenegotiate extends SocketSslClientRenegotiateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class SslEcho extends SocketSslEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class SslGreeting extends SocketSslGreetingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class SslSessionReuse extends SocketSslSessionReuseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        @Test
        @Disabled("it needs OpenSSL; the JDK's engine is tested by testSslSessionReuse")
        public void testSslSessionTrustManagerResumption(
                SslContextBuilder server, SslContextBuilder client, TestInfo test) {}
    }

    @Nested
    class StartTls extends SocketStartTlsTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }
}
