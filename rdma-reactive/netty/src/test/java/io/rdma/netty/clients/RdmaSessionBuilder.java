package io.rdma.netty.clients;

import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.session.ProgrammaticArguments;
import com.datastax.oss.driver.internal.core.context.DefaultDriverContext;
import com.datastax.oss.driver.internal.core.context.DefaultNettyOptions;
import com.datastax.oss.driver.internal.core.context.NettyOptions;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.rdma.netty.RdmaSocketChannel;

/** Cassandra's driver over RDMA. */
final class RdmaSessionBuilder extends CqlSessionBuilder {
    private final EventLoopGroup loops;

    RdmaSessionBuilder(EventLoopGroup loops) {
        this.loops = loops;
    }

    @Override
    protected DriverContext buildContext(DriverConfigLoader loader, ProgrammaticArguments arguments) {
        return new DefaultDriverContext(loader, arguments) {
            @Override
            protected NettyOptions buildNettyOptions() {
                return new DefaultNettyOptions(this) {
                    @Override
                    public EventLoopGroup ioEventLoopGroup() {
                        return loops;
                    }

                    @Override
                    public Class<? extends Channel> channelClass() {
                        return RdmaSocketChannel.class;
                    }
                };
            }
        };
    }
}
