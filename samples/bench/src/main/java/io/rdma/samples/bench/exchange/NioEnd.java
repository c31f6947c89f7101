package io.rdma.samples.bench.exchange;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/** Blocking channels of the JDK. */
final class NioEnd implements Carrier.End {
    private static final int READ_BYTES = 1 << 17;

    @Override
    public int serve(int size) throws IOException {
        ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.ofPlatform().daemon().name("nio-accept").start(() -> accept(listener, size));
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    private static void accept(ServerSocketChannel listener, int size) {
        while (true) {
            try {
                SocketChannel channel = listener.accept();
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                Thread.ofPlatform().daemon().name("nio-answer").start(() -> answer(channel, size));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void answer(SocketChannel channel, int size) {
        ByteBuffer answer = ByteBuffer.allocateDirect(Carrier.ANSWER_BYTES);
        ByteBuffer in = ByteBuffer.allocateDirect(Math.max(READ_BYTES, size));
        try (channel) {
            while (channel.read(in) >= 0) {
                in.flip();
                while (in.remaining() >= size) {
                    byte kind = in.get(in.position());
                    in.position(in.position() + size);
                    if (kind == Carrier.ANSWER) {
                        write(channel, answer);
                    }
                }
                in.compact();
            }
        } catch (IOException e) {
            System.err.println("nio: a connection ended: " + e);
        }
    }

    private static void write(SocketChannel channel, ByteBuffer message) throws IOException {
        message.clear();
        while (message.hasRemaining()) {
            channel.write(message);
        }
    }

    @Override
    public Client connect(int port, int size) throws IOException {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return new Connected(channel, size);
    }

    private static final class Connected implements Client {
        private final SocketChannel channel;
        private final ByteBuffer plain;
        private final ByteBuffer answered;
        private final ByteBuffer answer = ByteBuffer.allocateDirect(Carrier.ANSWER_BYTES);

        Connected(SocketChannel channel, int size) {
            this.channel = channel;
            this.plain = ByteBuffer.allocateDirect(size).put(Carrier.message(size, false));
            this.answered = ByteBuffer.allocateDirect(size).put(Carrier.message(size, true));
        }

        @Override
        public void pingPong(int count, Histogram into) throws IOException {
            for (int i = 0; i < count; i++) {
                long start = System.nanoTime();
                write(channel, answered);
                awaitAnswer();
                into.recordValue(System.nanoTime() - start);
            }
        }

        @Override
        public void stream(int count) throws IOException {
            for (int i = 1; i < count; i++) {
                write(channel, plain);
            }
            write(channel, answered);
            awaitAnswer();
        }

        private void awaitAnswer() throws IOException {
            answer.clear();
            while (answer.hasRemaining()) {
                if (channel.read(answer) < 0) {
                    throw new EOFException("the server closed the connection");
                }
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
