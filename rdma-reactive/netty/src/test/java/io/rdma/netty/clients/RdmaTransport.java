package io.rdma.netty.clients;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rdma.netty.RdmaIoHandler;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.netty.RdmaServerSocketChannel;
import io.rdma.netty.RdmaSocketChannel;
import io.vertx.core.transport.Transport;

/** Vert.x over RDMA. */
@SuppressWarnings("deprecation") // Vert.x names families by Netty's old type
record RdmaTransport(RdmaIoOptions options) implements Transport, io.vertx.core.spi.transport.Transport {
    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return RdmaIoHandler.newFactory(options);
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return RdmaSocketChannel::new;
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        return RdmaServerSocketChannel::new;
    }

    @Override
    public DatagramChannel datagramChannel() {
        return new NioDatagramChannel(); // for DNS
    }

    @Override
    public DatagramChannel datagramChannel(InternetProtocolFamily family) {
        return new NioDatagramChannel(family);
    }

    @Override
    public String name() {
        return "rdma";
    }

    @Override
    public boolean available() {
        return true;
    }

    @Override
    public Throwable unavailabilityCause() {
        return null;
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        return this;
    }
}
