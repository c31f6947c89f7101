package io.rdma.samples.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class YcsbBenchTest {
    @ParameterizedTest
    @CsvSource({
        "--clients=0, use 1 to 64",
        "--clients=65, use 1 to 64",
        "--workloads=AE, E needs scans",
        "--workloads=AA, each once",
        "--workloads=G, use letters of ABCDF",
        "--workloads=, use letters of ABCDF"
    })
    void aWrongOptionIsNamedWithItsRemedy(String option, String remedy) {
        AtomicReference<String> message = new AtomicReference<>("");
        int status = new CommandLine(new YcsbBench())
                .setExecutionExceptionHandler((error, command, parsed) -> {
                    message.set(error.getMessage());
                    return 1;
                })
                .execute(option);
        assertThat(status).isEqualTo(1);
        assertThat(message.get())
                .contains(option.substring(0, option.indexOf('=')))
                .contains(remedy);
    }
}
