package io.rdma.netty.clients;

import static io.netty.channel.ChannelOption.CONNECT_TIMEOUT_MILLIS;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.BootstrapConfig;
import io.netty.channel.EventLoopGroup;
import io.netty.util.AttributeKey;
import io.rdma.netty.RdmaSocketChannel;

/** Lettuce over RDMA. */
final class RdmaRedisClient extends RedisClient {
    private final EventLoopGroup loops;

    RdmaRedisClient(ClientResources resources, RedisURI server, EventLoopGroup loops) {
        super(resources, server);
        this.loops = loops;
    }

    @Override
    @SuppressWarnings("unchecked")
    protected <K, V, T extends RedisChannelHandler<K, V>> ConnectionFuture<T> initializeChannelAsync(
            ConnectionBuilder builder) {
        BootstrapConfig tcp = builder.bootstrap().config();
        Bootstrap rdma = new Bootstrap()
                .group(loops)
                .channel(RdmaSocketChannel.class)
                .resolver(tcp.resolver())
                .option(CONNECT_TIMEOUT_MILLIS, (Integer) tcp.options().get(CONNECT_TIMEOUT_MILLIS));
        tcp.attrs().forEach((key, value) -> rdma.attr((AttributeKey<Object>) key, value));
        builder.bootstrap(rdma);
        return super.initializeChannelAsync(builder);
    }
}
