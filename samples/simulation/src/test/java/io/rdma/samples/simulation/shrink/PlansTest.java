package io.rdma.samples.simulation.shrink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.samples.simulation.world.Plan;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A plan is written as text and read again. */
class PlansTest {
    @Test
    void eachPlanIsReadAsItWasWritten() {
        for (long seed = 0; seed < 1000; seed++) {
            Plan plan = Plan.of(seed);
            String text = Plans.write(plan);
            assertThat(text).doesNotContainAnyWhitespaces();
            assertThat(Plans.read(text)).isEqualTo(plan);
            assertThat(Plans.write(Plans.read(text))).isEqualTo(text);
        }
    }

    @Test
    void fieldsOfAllTypesAreWritten() {
        String text = RecordWriter.write(Sample.large());
        assertThat(text)
                .isEqualTo("(count=900,time=5_000_000_000,on=true,colour=BLUE,"
                        + "text=\"it\\u0027s\\u0020\\u0022so\\u0022\\u005c\\u000a\","
                        + "parts=[(weight=70,limit=WIDE),(weight=80),(weight=90,limit=(low=3,high=40))],"
                        + "spare=(weight=-7,limit=WIDE))");
        assertThat(RecordReader.read(Sample.class, text)).isEqualTo(Sample.large());
    }

    @Test
    void whatIsNotNamedHasItsLeastValue() {
        assertThat(RecordReader.read(Sample.class, " ( count = 1 ,\n parts = [ ( ) ] ) "))
                .isEqualTo(new Sample(
                        1, 0, false, Sample.Colour.RED, "", List.of(new Sample.Part(0, Sample.Limit.NARROW)), null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "(count=1                | expected , at character 9, the end",
                "(count=x)               | expected a number at character 8: x)",
                "(count=0)               | count is too small",
                "(time=1)                | count is too small",
                "(count=5_000_000_000)   | expected a smaller number",
                "(number=1)              | expected one of [colour, count, on, parts, spare, text, time] at",
                "(count=1,count=2)       | a second count",
                "(count=1,colour=PINK)   | expected one of [BLUE, GREEN, RED] at character 17: PINK)",
                "(count=1,text=\"a)      | expected \"",
                "(count=1) (count=2)     | expected the end at character 11: (count=2)",
                "count=1                 | expected ( at character 1: count=1"
            })
    void aTextThatIsNoneIsRefused(String text, String why) {
        assertThatThrownBy(() -> RecordReader.read(Sample.class, text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aFileHasAPlanInEachLine() {
        String text = Plans.write(Plan.of(3));
        assertThat(Plans.readAll(List.of("# a comment", "", " " + text, text))).containsExactly(Plan.of(3), Plan.of(3));
        assertThatThrownBy(() -> Plans.readAll(List.of("# a comment", text + ")")))
                .hasMessageContaining("line 2: expected the end");
    }
}
