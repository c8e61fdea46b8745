import * as sdk2 from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import {
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
} from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import type { JsonObject } from "@tunic/core";
import { type SignInAtOnce, signInAtOnce } from "./sign-in.js";

export interface ScenarioProvider {
  readonly provider: OAuthClientProvider | undefined;
  /** Where somebody is sent to a page. */
  readonly interactive?: SignInAtOnce | undefined;
}

/** How a scenario wants to be signed in at. */
export async function providerFor(
  scenario: string,
  context: JsonObject,
  line: 1 | 2,
): Promise<ScenarioProvider> {
  if (!scenario.startsWith("auth/")) return { provider: undefined };
  const text = (name: string): string => String(context[name]);
  const client = { clientId: text("client_id"), clientSecret: text("client_secret") };
  switch (scenario) {
    case "auth/client-credentials-basic":
      return { provider: new ClientCredentialsProvider(client) };
    case "auth/client-credentials-jwt": {
      const { clientId } = client;
      const algorithm = text("signing_algorithm");
      const privateKey = text("private_key_pem");
      return { provider: new PrivateKeyJwtProvider({ clientId, privateKey, algorithm }) };
    }
    case "auth/enterprise-managed-authorization":
      return { provider: await enterprise(context) };
    case "auth/dpop":
    case "auth/dpop-nonce": {
      const interactive = signInAtOnce();
      if (line === 1) return { provider: interactive.provider, interactive };
      const session = await sdk2.DpopSession.create();
      const provider = Object.assign(interactive.provider, { dpop: () => session });
      return { provider, interactive };
    }
    case "auth/wif-jwt-bearer":
      return { provider: workload(client.clientId, text("valid_jwt")) };
    case "auth/pre-registration": {
      const { clientId: client_id, clientSecret: client_secret } = client;
      const interactive = signInAtOnce({ client_id, client_secret, issuer: text("issuer") });
      return { provider: interactive.provider, interactive };
    }
    default: {
      const interactive = signInAtOnce();
      return { provider: interactive.provider, interactive };
    }
  }
}

/** Somebody's employer vouches for them: its token is exchanged for a grant, and that for a token of the server. */
async function enterprise(context: JsonObject): Promise<OAuthClientProvider> {
  const text = (name: string): string => String(context[name]);
  const provider = new sdk2.CrossAppAccessProvider({
    clientId: text("client_id"),
    clientSecret: text("client_secret"),
    async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
      const { jwtAuthGrant } = await sdk2.requestJwtAuthorizationGrant({
        tokenEndpoint: text("idp_token_endpoint"),
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: text("idp_id_token"),
        clientId: text("idp_client_id"),
        ...(scope !== undefined && { scope }),
        fetchFn,
      });
      return jwtAuthGrant;
    },
  });
  return provider as OAuthClientProvider;
}

/** A program that its platform vouches for. */
function workload(clientId: string, assertion: string): OAuthClientProvider {
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  return {
    redirectUrl: undefined,
    clientMetadata: {
      client_name: "tunic-conformance",
      redirect_uris: [],
      grant_types: [jwtBearer],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => ({ client_id: clientId }),
    tokens: () => tokens,
    saveTokens(received) {
      tokens = received;
    },
    redirectToAuthorization() {
      throw new Error("A program is sent nowhere.");
    },
    saveCodeVerifier() {},
    codeVerifier: () => "",
    prepareTokenRequest(scope) {
      return new URLSearchParams({ grant_type: jwtBearer, assertion, ...(scope && { scope }) });
    },
  };
}

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
