package io.rdma.samples.files;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.RdmaDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Client that copies the file of a server: it reads several pieces at once and writes each where it belongs. */
final class FileClient {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int AT_ONCE = 8;

    private FileClient() {}

    static long run(RdmaDevice device, String host, int port, Path copy) throws IOException {
        RdmaConnection connection =
                RdmaClient.create().device(device.name()).host(host).port(port).connectNow(PATIENCE);
        try (FileChannel file = FileChannel.open(
                copy, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            return Objects.requireNonNull(connection
                    .receive(message -> RemoteMemory.decode(message.segment()))
                    .next()
                    .flatMap(remote -> copy(connection, remote, file))
                    .block(PATIENCE));
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }

    private static Mono<Long> copy(RdmaConnection connection, RemoteMemory remote, FileChannel to) {
        int piece = connection.endpoint().sendBuffers().bufferSize();
        long pieces = Math.ceilDiv(remote.length(), piece);
        return Flux.range(0, Math.toIntExact(pieces))
                .flatMap(
                        i -> {
                            long offset = (long) i * piece;
                            int length = (int) Math.min(piece, remote.length() - offset);
                            RemoteMemory part = remote.slice(offset, length);
                            return Mono.usingWhen(
                                    connection.acquire(),
                                    buffer -> connection
                                            .read(part, buffer.limit(length))
                                            .publishOn(Schedulers.boundedElastic())
                                            .then(Mono.fromRunnable(() -> write(buffer, offset, to))),
                                    buffer -> Mono.fromRunnable(buffer::close));
                        },
                        AT_ONCE)
                .then(Mono.just(remote.length()));
    }

    private static void write(RegisteredBuffer buffer, long offset, FileChannel to) {
        ByteBuffer bytes = buffer.segment().asSlice(0, buffer.limit()).asByteBuffer();
        try {
            for (long at = offset; bytes.hasRemaining(); ) {
                at += to.write(bytes, at);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
