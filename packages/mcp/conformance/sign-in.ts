import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
} from "@modelcontextprotocol/sdk/client/auth.js";

/** Where the suite's authorization servers send people back to. Nobody listens there: the answer is read off the redirect. */
const redirectUrl = "http://localhost:3000/callback";

/** The one address of a client's own description that the suite's authorization servers know. */
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";

/** A provider, and what came back from the last page that somebody was sent to. */
export interface SignInAtOnce {
  readonly provider: OAuthClientProvider;
  readonly callback: () => URLSearchParams;
}

type ClientInformation = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;

/** Somebody who signs in wherever they are sent. Everything is kept in memory, as the SDK hands it over. */
export function signInAtOnce(registered?: ClientInformation): SignInAtOnce {
  let client = registered;
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  let callback: URLSearchParams | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "tunic-conformance",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
    },
    ...(registered === undefined && { clientMetadataUrl }),
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information;
    },
    tokens: () => tokens,
    saveTokens(received) {
      tokens = received;
    },
    saveCodeVerifier(value) {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state;
    },
    discoveryState: () => discovered,
    invalidateCredentials(scope) {
      if (scope === "all" || scope === "client") client = registered;
      if (scope === "all" || scope === "tokens") tokens = undefined;
      if (scope === "all" || scope === "discovery") discovered = undefined;
    },
    async redirectToAuthorization(url) {
      const page = await fetch(url, { redirect: "manual" });
      const location = page.headers.get("location");
      if (location === null) throw new Error(`${url.origin} sends nobody back (${page.status}).`);
      callback = new URL(location).searchParams;
    },
  };
  return {
    provider,
    callback() {
      if (callback === undefined) throw new Error("Nobody was sent to a page.");
      return callback;
    },
  };
}
