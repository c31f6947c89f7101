package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.AdmissionLimits;
import io.rdma.environment.Environment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Uses and lifetime of a token. */
class CmTokensTest {
    private final Admission admission = new Admission(AdmissionLimits.DEFAULT.withHandshakes(1));
    private final CmTokens tokens = new CmTokens(Environment.SYSTEM.random());

    private Admission.Permit permit() {
        return Objects.requireNonNull(admission.tryBegin(InetAddress.getLoopbackAddress()));
    }

    @Test
    void aTokenIsRedeemedOnceAndTakesOverThePermit() {
        Admission.Permit permit = permit();
        CmTokens.Issued issued = tokens.issue(permit, 7471);
        byte[] request = issued.token().request().clone();
        assertThat(tokens.redeem(new byte[CmTokens.BYTES])).isNull();
        assertThat(issued.isRedeemed()).isFalse();
        CmTokens.Redeemed redeemed = Objects.requireNonNull(tokens.redeem(request));
        assertThat(redeemed.answer()).isEqualTo(issued.token().answer()).isNotEqualTo(request);
        assertThat(issued.isRedeemed()).isTrue();
        assertThat(tokens.redeem(request)).as("again").isNull();
        permit.close();
        assertThat(admission.tryBegin(InetAddress.getLoopbackAddress()))
                .as("the request has it")
                .isNull();
        redeemed.permit().close();
        permit().close();
    }

    @Test
    void aTokenIsRevokedWithItsExchange() {
        CmTokens.Issued issued = tokens.issue(permit(), 7471);
        issued.close();
        assertThat(tokens.redeem(issued.token().request())).isNull();
        assertThat(issued.isRedeemed()).isFalse();
    }

    @Test
    void tokensAreDistinctAndNotPrinted() {
        Admission.Permit permit = permit();
        CmTokens.Token one = tokens.issue(permit, 65_535).token();
        CmTokens.Token other = tokens.issue(permit, 7471).token();
        assertThat(one.request()).hasSize(16).isNotEqualTo(other.request()).isNotEqualTo(one.answer());
        assertThat(one.answer()).hasSize(16).isNotEqualTo(other.answer());
        assertThat(one).hasToString("CmTokens.Token");
        CmTokens.Token decoded = CmTokens.decode(ByteBuffer.wrap(CmTokens.encode(one)));
        assertThat(decoded.port()).isEqualTo(65_535);
        assertThat(decoded.request()).isEqualTo(one.request());
        assertThat(decoded.answer()).isEqualTo(one.answer());
    }
}
