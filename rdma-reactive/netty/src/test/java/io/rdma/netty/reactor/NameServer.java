package io.rdma.netty.reactor;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Server of DNS that knows one name, of this host. It may withhold its answers. */
public final class NameServer {
    /** The name that it knows. */
    public static final String NAME = "server.rdma.test";

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final int SECONDS = 60;

    private final Channel channel;
    private final List<String> questions = new CopyOnWriteArrayList<>();
    private volatile CompletableFuture<Void> answers = CompletableFuture.completedFuture(null);

    /** Starts the server on a free port, on an event loop of NIO. */
    public NameServer(EventLoopGroup nio) {
        channel = new Bootstrap()
                .group(nio)
                .channel(NioDatagramChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel one) {
                        one.pipeline()
                                .addLast(new DatagramDnsQueryDecoder(), new DatagramDnsResponseEncoder())
                                .addLast(new Answering());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    /** Returns its address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) channel.localAddress();
    }

    /** Returns a provider that names this server alone, for a resolver. */
    public DnsServerAddressStreamProvider provider() {
        return new SingletonDnsServerAddressStreamProvider(address());
    }

    /** Returns the names that were asked for. */
    public Set<String> questions() {
        return Set.copyOf(questions);
    }

    /** Withholds answers until this is complete. */
    void withhold(CompletableFuture<Void> until) {
        answers = until;
    }

    private final class Answering extends SimpleChannelInboundHandler<DatagramDnsQuery> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            DatagramDnsResponse response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            response.addRecord(DnsSection.QUESTION, new DefaultDnsQuestion(question.name(), question.type()));
            if (!question.name().equals(NAME + ".")) {
                response.setCode(DnsResponseCode.NXDOMAIN);
            } else if (question.type().equals(DnsRecordType.A)) {
                response.addRecord(
                        DnsSection.ANSWER,
                        new DefaultDnsRawRecord(
                                question.name(), DnsRecordType.A, SECONDS, Unpooled.wrappedBuffer(LOOPBACK)));
            }
            questions.add(question.name());
            answers.thenRunAsync(() -> context.writeAndFlush(response), context.executor());
        }
    }
}
