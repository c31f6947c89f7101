package io.rdma.verbs;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.Gid;
import io.rdma.types.QueuePairState;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** Linux 6.1's rdma_rxe does not know SQE. */
    @Override
    QueuePairState afterSendError() {
        return QueuePairState.ERR;
    }

    /** rdma_rxe attaches queue pairs, but IP drops the datagrams of a group that no socket of the host has joined. */
    @Override
    AutoCloseable join(Gid group) throws Exception {
        DatagramChannel channel =
                DatagramChannel.open(StandardProtocolFamily.INET).bind(new InetSocketAddress(0));
        NetworkInterface on = NetworkInterface.getByInetAddress(
                RoutablePath.gid(context).gid().toAddress());
        channel.join(group.toAddress(), on);
        return channel;
    }
}
