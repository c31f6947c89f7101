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

/** Test of the size on which it depends whether HotSpot's compiler inlines a method, see {@link SendQueue}. */
class CompiledSizeTest {
    private static final Pattern OFFSET = Pattern.compile("^ +([0-9]+): ", Pattern.MULTILINE);

    @Test
    void submitIsCompiledByItself() throws URISyntaxException {
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        int mostInlined = Integer.parseInt(jvm.getVMOption("FreqInlineSize").getValue());
        assertThat(byteCodes("submit")).isGreaterThan(mostInlined);
    }

    /** Returns the offset of the last byte code of a method. */
    private static int byteCodes(String method) throws URISyntaxException {
        Path classes = Path.of(SendQueue.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        StringWriter listing = new StringWriter();
        PrintWriter out = new PrintWriter(listing);
        String name = SendQueue.class.getName();
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
