package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Netty's own tests of sockets, {@code netty-testsuite}, over a device. Left out are classes whose peer is a socket of
 * the JDK ({@code SocketShutdownOutputBySelf}, {@code SocketShutdownOutputByPeer}, {@code ServerSocketSuspend}), one
 * that names its transport itself ({@code SocketSslLargeCertificate}), one that measures tenths of a second ({@code
 * TrafficShapingHandler}), and single tests that are disabled below.
 */
abstract class SocketSuite extends SocketDevice {
    @Nested
    class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class AutoRead extends SocketAutoReadTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class BufRelease extends SocketBufReleaseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class CancelWrite extends SocketCancelWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class CloseForcibly extends SocketCloseForciblyTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class ConditionalWritability extends SocketConditionalWritabilityTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class Connect extends SocketConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class DataReadInitialState extends SocketDataReadInitialStateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        @Test
        @Disabled("a client is connected when the server has accepted it; a kernel's TCP connects before that")
        public void testAutoReadOffNoDataReadUntilReadCalled(TestInfo test) {}
    }

    @Nested
    class Echo extends SocketEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class ExceptionHandling extends SocketExceptionHandlingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class FileRegion extends SocketFileRegionTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class FixedLengthEcho extends SocketFixedLengthEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class HalfClosed extends SocketHalfClosedTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }

        @Override
        @Test
        @Disabled("it blocks the event loop until the peer has reset the connection, which only the event loop learns")
        public void testAutoCloseFalseDoesShutdownOutput(TestInfo test) {}
    }

    @Nested
    class ObjectEcho extends SocketObjectEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class ReadPending extends SocketReadPendingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class Rst extends SocketRstTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class StringEcho extends SocketStringEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class WriteBeforeRegistered extends WriteBeforeRegisteredTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }
    }

    @Nested
    class Addresses extends SocketAddressesTest {
        @Override
        protected void assertAddress(SocketAddress address) {
            assertThat(((InetSocketAddress) address).getPort()).isPositive();
        }

        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class MultipleConnect extends SocketMultipleConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return both();
        }
    }

    @Nested
    class ChannelNotYetConnected extends SocketChannelNotYetConnectedTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }

        @Override
        @Test
        @Disabled("it opens a socket of the JDK itself, which does not speak RDMA")
        public void readMustBePendingUntilChannelIsActive(TestInfo test) {}
    }

    @Nested
    class ConnectionAttempt extends SocketConnectionAttemptTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return clients();
        }

        @Override
        @Test
        @Disabled("it needs an address of the Internet that does not answer, see ChannelContract")
        public void testConnectTimeout(TestInfo test) {}

        @Override
        @Test
        @Disabled("it needs an address of the Internet that does not answer, see ChannelContract")
        public void testConnectCancellation(TestInfo test) {}
    }
}
