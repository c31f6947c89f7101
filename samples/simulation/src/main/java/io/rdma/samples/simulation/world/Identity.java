package io.rdma.samples.simulation.world;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

// The certificates are constants, so that their lengths, and those of the messages of TLS, are the same in each
// process. Signatures of Ed25519 have one length; those of ECDSA do not. The keys protect nothing: they are public.

/** Certificate of a simulated host with its key, valid until 2119. */
enum Identity {
    /** Of the server, for 10.0.0.1. */
    SERVER("""
            MIIBDDCBv6ADAgECAgkA7RiEyJQYT/owBQYDK2VwMBExDzANBgNVBAMTBnNlcnZl
            cjAgFw0yMDAxMDEwMDAwMDBaGA8yMTE5MTIwODAwMDAwMFowETEPMA0GA1UEAxMG
            c2VydmVyMCowBQYDK2VwAyEAIH+zMn6oSzS3mVRdG22ins4JezzxXSUEB2k78MsD
            5GOjMjAwMB0GA1UdDgQWBBQd1GX1+NOsa4ZV584ObrYKtwWwqTAPBgNVHREECDAG
            hwQKAAABMAUGAytlcANBAPRLvNFWLS4FiVZ59cS4tQP4NJqHsJAfqPfvMXIYgjCx
            YXBh7mXK1BVREDAO9P6qU54EC9JhJAjRkSJFdnULIwY=
            """, "MC4CAQAwBQYDK2VwBCIEIK0U5Av+jCJHePN2ETtJT0GgpvpF72LETQFyDk1RcU9C"),
    /** Of all clients. */
    CLIENT("""
            MIH7MIGuoAMCAQICCQCvBUE9Faxh+DAFBgMrZXAwETEPMA0GA1UEAxMGY2xpZW50
            MCAXDTIwMDEwMTAwMDAwMFoYDzIxMTkxMjA4MDAwMDAwWjARMQ8wDQYDVQQDEwZj
            bGllbnQwKjAFBgMrZXADIQC7wAy/g1JKOMEhnWqogwV0BSMZYRhsQIO3mPtac0Sz
            l6MhMB8wHQYDVR0OBBYEFFVZZEIO7SHFGUypKs9z7xPnw1SsMAUGAytlcANBAL9c
            RTu+kgSP36AtvEdnkwrDPBdcfqQaUOhll2SPROeWZILQywF+2YWHxdOO+PWZ5Wdi
            Nre5gEfpzbGQoSZcWgg=
            """, "MC4CAQAwBQYDK2VwBCIEICs/Ox6bwy3xXDp2ALBi/gplQTV3MZUNezQ3QluJvN0Y"),
    /** Of no host that another one trusts. */
    STRANGER("""
            MIH+MIGxoAMCAQICCCu5NKix7uscMAUGAytlcDATMREwDwYDVQQDEwhzdHJhbmdl
            cjAgFw0yMDAxMDEwMDAwMDBaGA8yMTE5MTIwODAwMDAwMFowEzERMA8GA1UEAxMI
            c3RyYW5nZXIwKjAFBgMrZXADIQCiSZSpDp2pGJK0XQu8SMkDvE4cZyE+l9E261o2
            Ff5FU6MhMB8wHQYDVR0OBBYEFNm/J+lviOMPSeRE1hwfo9hHLsEKMAUGAytlcANB
            ALrEYoHEhQr28Ui2WHEJu1QuufwpY/aWFi7wrI+DGWUybEFeUOVeyLiWrmUV+X7N
            IND6PtfibE0QDxg08XAsZA4=
            """, "MC4CAQAwBQYDK2VwBCIEIPLNYHT8aZX1NweuKotUqh3dCjdN5ubE/4VCRcNRQTFc");

    private final KeyManagerFactory keys;
    private final TrustManagerFactory trust;

    Identity(String certificate, String key) {
        try {
            keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            Certificate own = CertificateFactory.getInstance("X.509")
                    .generateCertificate(
                            new ByteArrayInputStream(Base64.getMimeDecoder().decode(certificate)));
            PrivateKey secret = KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(key)));
            char[] password = {};
            KeyStore store = store();
            store.setKeyEntry(name(), secret, password, new Certificate[] {own});
            keys.init(store, password);
            KeyStore trusted = store();
            trusted.setCertificateEntry(name(), own);
            trust.init(trusted);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("The JVM cannot use the certificate of " + name(), e);
        }
    }

    private static KeyStore store() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    /** Returns a new context, which has no sessions of earlier runs, for a side that trusts one other. */
    SSLContext trusting(Identity other) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), other.trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The JVM has no TLS", e);
        }
    }
}
