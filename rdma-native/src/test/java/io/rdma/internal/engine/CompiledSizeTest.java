package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Test of the size on which it depends whether HotSpot's compilers inline a method, see the methods' classes. */
class CompiledSizeTest {
    private static final Pattern OFFSET = Pattern.compile("^ +([0-9]+): ", Pattern.MULTILINE);

    private static final String SEND_QUEUE = SendQueue.class.getName();
    private static final String STACK_PIECES = "io.rdma.internal.os.StackPieces";

    @Test
    void submitIsCompiledByItself() throws URISyntaxException {
        assertThat(byteCodes(SEND_QUEUE, "submit")).isGreaterThan(mostInlined());
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "two", "three", "five"})
    void aTestOfTheStackIsCompiledByItself(String method) throws URISyntaxException {
        assertThat(byteCodes(STACK_PIECES, method)).isGreaterThan(mostInlined());
    }

    /** Returns the largest method that is inlined where it is called often. */
    private static int mostInlined() {
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        return Integer.parseInt(jvm.getVMOption("FreqInlineSize").getValue());
    }

    /** Returns the offset of the last byte code of a method. */
    private static int byteCodes(String name, String method) throws URISyntaxException {
        Path classes = Path.of(SendQueue.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        StringWriter listing = new StringWriter();
        PrintWriter out = new PrintWriter(listing);
        ToolProvider.findFirst("javap").orElseThrow().run(out, out, "-c", "-p", "-cp", classes.toString(), name);
        String from = listing.toString().split(" " + method + "\\(", 2)[1];
        Matcher offsets = OFFSET.matcher(from.split("\n\n", 2)[0]);
        int last = 0;
        while (offsets.find()) {
            last = Integer.parseInt(offsets.group(1));
        }
        return last;
    }
}
