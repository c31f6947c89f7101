package io.rdma.netty.clients;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rdma.netty.RdmaServerSocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Server over RDMA that knows a few commands of Redis, in the protocol RESP2. */
final class RedisServer {
    private final Map<String, String> values = new ConcurrentHashMap<>();
    private final Map<String, ChannelGroup> subscribers = new ConcurrentHashMap<>();
    private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final Channel channel;

    /** Starts the server on a free port. */
    RedisServer(EventLoopGroup loops) {
        channel = new ServerBootstrap()
                .group(loops)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel one) {
                        clients.add(one);
                        one.pipeline()
                                .addLast(new RedisDecoder(), new RedisBulkStringAggregator())
                                .addLast(new RedisArrayAggregator(16, 2), new RedisEncoder(), new Commands());
                    }
                })
                .bind(ClientContract.HOST, 0)
                .syncUninterruptibly()
                .channel();
    }

    /** Returns its port. */
    int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Ends the connections of all clients. */
    void disconnect() {
        clients.close().syncUninterruptibly();
    }

    /** Ends the server. Its clients are gone. */
    void close() {
        channel.close().syncUninterruptibly();
    }

    private RedisMessage answer(Channel client, List<String> words) {
        return switch (words.getFirst().toUpperCase(Locale.ROOT)) {
            case "PING" -> new SimpleStringRedisMessage("PONG");
            case "CLIENT", "SELECT" -> new SimpleStringRedisMessage("OK");
            case "SET" -> {
                values.put(words.get(1), words.get(2));
                yield new SimpleStringRedisMessage("OK");
            }
            case "GET" -> string(values.get(words.get(1)));
            case "SUBSCRIBE" -> {
                String topic = words.get(1);
                subscribers
                        .computeIfAbsent(topic, key -> new DefaultChannelGroup(GlobalEventExecutor.INSTANCE))
                        .add(client);
                yield new ArrayRedisMessage(List.of(string("subscribe"), string(topic), new IntegerRedisMessage(1)));
            }
            case "PUBLISH" -> {
                ChannelGroup group = subscribers.get(words.get(1));
                if (group == null) {
                    yield new IntegerRedisMessage(0);
                }
                for (Channel one : group) {
                    one.writeAndFlush(new ArrayRedisMessage(
                            List.of(string("message"), string(words.get(1)), string(words.get(2)))));
                }
                yield new IntegerRedisMessage(group.size());
            }
            default -> new ErrorRedisMessage("ERR unknown command '" + words.getFirst() + "'");
        };
    }

    private static RedisMessage string(@Nullable String text) {
        return text == null
                ? FullBulkStringRedisMessage.NULL_INSTANCE
                : new FullBulkStringRedisMessage(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private final class Commands extends SimpleChannelInboundHandler<ArrayRedisMessage> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ArrayRedisMessage command) {
            List<String> words = command.children().stream()
                    .map(word -> ((FullBulkStringRedisMessage) word).content())
                    .map((ByteBuf content) -> content.toString(StandardCharsets.UTF_8))
                    .toList();
            context.writeAndFlush(answer(context.channel(), words));
        }
    }
}
