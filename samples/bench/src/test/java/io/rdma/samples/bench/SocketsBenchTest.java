package io.rdma.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SocketsBenchTest {
    private static String failure(String... arguments) {
        AtomicReference<String> message = new AtomicReference<>("");
        int status = new CommandLine(new SocketsBench())
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    message.set(error.getMessage());
                    return 1;
                })
                .execute(arguments);
        assertThat(status).isEqualTo(1);
        return message.get();
    }

    @Test
    void aNegativeNumberOfBusyThreadsIsRefused() {
        assertThat(failure("--busy=-1")).contains("--busy is -1").contains("use 0 or more");
    }

    @Test
    void aJvmThatDoesNotOpenWhatAeronNeedsIsToldTheOption() {
        assertThat(failure("--quick")).contains("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
    }
}
