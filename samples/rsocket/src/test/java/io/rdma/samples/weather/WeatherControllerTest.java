package io.rdma.samples.weather;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What clients name does not fill the server's memory. */
class WeatherControllerTest {
    private final WeatherController controller = new WeatherController();

    private static void takesOnlySoMany(Consumer<String> named) {
        for (int i = 0; i < WeatherController.STATIONS; i++) {
            named.accept("station " + i);
        }
        assertThatThrownBy(() -> named.accept("one more"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000 stations");
        assertThatCode(() -> named.accept("station 0")).doesNotThrowAnyException();
        assertThatThrownBy(() -> named.accept("x".repeat(101)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("up to 100");
    }

    @Test
    void reportedStationsAreBounded() {
        takesOnlySoMany(station -> controller.report(new Reading(station, 0, 0)));
    }

    @Test
    void measuredStationsAreBounded() {
        takesOnlySoMany(controller::measure);
    }
}
