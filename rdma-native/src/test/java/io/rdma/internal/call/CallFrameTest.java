package io.rdma.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.call.RdmaCallException;
import io.rdma.call.RdmaCallException.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes of the frames, which docs/guide/calls.md describes. */
class CallFrameTest {
    private static String hex(CallFrame frame) {
        byte[] bytes = new byte[frame.body()];
        frame.write(MemorySegment.ofArray(bytes));
        return HexFormat.of().formatHex(bytes);
    }

    private static CallFrame read(String hex) {
        return CallFrame.read(MemorySegment.ofArray(HexFormat.of().parseHex(hex)));
    }

    @Test
    void framesHaveTheBytesOfThePage() {
        assertThat(hex(CallFrame.request(0x102, 5000, "dice")))
                .isEqualTo("01010004" + "00000102" + "00001388" + "00000000" + "6469636500000000");
        assertThat(hex(CallFrame.answer(-2))).isEqualTo("01020000" + "fffffffe" + "00000000" + "00000000");
        assertThat(hex(CallFrame.error(7, CallErrors.unknownCall("dice"))))
                .isEqualTo("01030000" + "00000007" + "00000002" + "00000000");
        assertThat(hex(CallFrame.error(7, RdmaCallException.of("Nö", ""))))
                .isEqualTo("01030003" + "00000007" + "00000000" + "00000000" + "4ec3b60000000000");
        assertThat(hex(CallFrame.cancel(7))).isEqualTo("01040000" + "00000007" + "00000000" + "00000000");
    }

    @Test
    void aFrameIsReadAsItWasWritten() {
        String nameOfEight = "12345678";
        for (CallFrame frame : new CallFrame[] {
            CallFrame.request(1, Integer.MAX_VALUE, nameOfEight),
            CallFrame.request(2, 1, "é".repeat(127)),
            CallFrame.answer(3),
            CallFrame.cancel(4),
            CallFrame.error(5, RdmaCallException.of("type", "text"))
        }) {
            assertThat(read(hex(frame))).isEqualTo(frame);
            assertThat(read(hex(frame) + "ffff").body()).isEqualTo(frame.body());
        }
    }

    /** The codes are the ordinals: no status is moved or removed. */
    @ParameterizedTest
    @EnumSource(Status.class)
    void aStatusKeepsItsCode(Status status) {
        int code = switch (status) {
            case APPLICATION -> 0;
            case FAILED -> 1;
            case UNKNOWN_CALL -> 2;
            case UNDECODABLE_REQUEST -> 3;
            case UNDECODABLE_ANSWER -> 4;
            case UNKNOWN_VERSION -> 5;
            case DEADLINE_EXCEEDED -> 6;
            case CANCELLED -> 7;
            case BUSY -> 8;
            case STOPPING -> 9;
        };
        CallFrame frame = CallFrame.error(1, new RdmaCallException(status, "", "text", null));
        assertThat(frame.value()).isEqualTo(code);
        assertThat(frame.reported("x", new byte[0]).status()).isEqualTo(status);
    }

    @Test
    void aStatusOfALaterVersionIsAFailure() {
        CallFrame error = read("01030000" + "00000007" + "0000ffff" + "00000000");
        assertThat(error.reported("x", new byte[0]).status()).isEqualTo(Status.FAILED);
    }

    @Test
    void textsAreCutToTheRoom() {
        assertThat(CallFrame.text(RdmaCallException.of("", "é".repeat(5000)), 1 << 20))
                .hasSize(2 * 1024);
        assertThat(CallFrame.text(RdmaCallException.of("", "€".repeat(50)), 32)).hasSize(30);
        assertThat(CallFrame.text(RdmaCallException.of("", "text"), -16)).isEmpty();
        assertThat(CallFrame.error(1, RdmaCallException.of("é".repeat(200), "")).name())
                .hasSize(85);
    }

    /** Whatever a peer sends: it is a frame within the message, or it has a problem. */
    @Test
    void noMessageMakesTheReaderFail() {
        Random random = new Random(1);
        try (Arena arena = Arena.ofConfined()) {
            for (int i = 0; i < 100_000; i++) {
                byte[] bytes = new byte[random.nextInt(40)];
                random.nextBytes(bytes);
                if (random.nextBoolean() && bytes.length > 3) {
                    bytes[0] = CallFrame.VERSION;
                    bytes[1] = (byte) random.nextInt(6);
                    bytes[2] = 0;
                }
                MemorySegment message = arena.allocate(40).asSlice(0, bytes.length);
                MemorySegment.copy(bytes, 0, message, ValueLayout.JAVA_BYTE, 0, bytes.length);
                CallFrame frame = CallFrame.read(message);
                if (frame.problem() == null) {
                    assertThat(frame.body()).isBetween(16, bytes.length);
                } else {
                    assertThat(frame.kind()).isEqualTo(CallFrame.Kind.UNKNOWN);
                }
            }
        }
    }
}
