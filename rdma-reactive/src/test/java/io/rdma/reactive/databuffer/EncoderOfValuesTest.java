package io.rdma.reactive.databuffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.AbstractEncoder;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;
import reactor.core.publisher.Flux;

/** Tests of where the bytes of an encoder go, for each way in which it may use the factory. */
class EncoderOfValuesTest {
    private final MemorySegment target = Arena.ofAuto().allocate(300);

    /** Returns an encoder of Spring that calls a function. */
    private static EncoderOfValues<String> encoder(BiFunction<String, DataBufferFactory, DataBuffer> how) {
        AbstractEncoder<String> encoder = new AbstractEncoder<>(MimeTypeUtils.ALL) {
            @Override
            public Flux<DataBuffer> encode(
                    Publisher<? extends String> input,
                    DataBufferFactory factory,
                    ResolvableType type,
                    MimeType mimeType,
                    Map<String, Object> hints) {
                return Flux.from(input).map(value -> how.apply(value, factory));
            }

            @Override
            public DataBuffer encodeValue(
                    String value,
                    DataBufferFactory factory,
                    ResolvableType type,
                    MimeType mimeType,
                    Map<String, Object> hints) {
                return how.apply(value, factory);
            }
        };
        return new EncoderOfValues<>(encoder, ResolvableType.forClass(String.class), MimeTypeUtils.ALL);
    }

    private String sent(int length) {
        return new String(
                target.asSlice(0, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Test
    void aValueIsEncodedStraightIntoTheTarget() {
        EncoderOfValues<String> encoder = encoder((value, factory) -> {
            NettyDataBuffer buffer = (NettyDataBuffer) factory.allocateBuffer(4);
            assertThat(MemorySegment.ofBuffer(buffer.getNativeBuffer().nioBuffer(0, 1))
                            .address())
                    .isEqualTo(target.address());
            return buffer.write(value, StandardCharsets.UTF_8);
        });
        assertThat(sent(encoder.encode("twenty bytes of text", target))).isEqualTo("twenty bytes of text");
        assertThat(sent(encoder.encode("more", target))).isEqualTo("more");
    }

    @Test
    void aValueThatOutgrowsTheTargetAsksForALargerOne() {
        String large = "0123456789".repeat(50);
        EncoderOfValues<String> encoder = encoder((value, factory) -> factory.allocateBuffer(4)
                .write("0", StandardCharsets.UTF_8)
                .write(value.substring(1), StandardCharsets.UTF_8));
        assertThat(encoder.encode(large, target)).isEqualTo(-500);
        MemorySegment larger = Arena.ofAuto().allocate(500);
        assertThat(encoder.encode(large, larger)).isEqualTo(500);
        assertThat(new String(larger.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8))
                .isEqualTo(large);
        assertThat(sent(encoder.encode("0 and on", target))).isEqualTo("0 and on");
    }

    @Test
    void buffersThatAreJoinedInReverseOrderKeepThatOrder() {
        EncoderOfValues<String> encoder = encoder((value, factory) -> {
            DataBuffer second = factory.allocateBuffer(4).write(value, StandardCharsets.UTF_8);
            DataBuffer first = factory.allocateBuffer(4).write("first ", StandardCharsets.UTF_8);
            return factory.join(List.of(first, second));
        });
        assertThat(sent(encoder.encode("second", target))).isEqualTo("first second");
    }

    @Test
    void aWrappedArrayIsCopied() {
        EncoderOfValues<String> encoder =
                encoder((value, factory) -> factory.wrap(value.getBytes(StandardCharsets.UTF_8)));
        assertThat(sent(encoder.encode("wrapped", target))).isEqualTo("wrapped");
    }
}
