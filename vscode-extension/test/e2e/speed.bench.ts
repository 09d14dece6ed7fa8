/** From the last keystroke to the squiggle in a file of 2,000 lines, typed at speed; and how long activation takes. */
import { eventually, quit, start, Workbench } from "./workbench";

const TIMES = 12;
const PAUSE_MS = 35; // between keys: some 340 a minute

const QUIET = {
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
  "editor.acceptSuggestionOnEnter": "off",
  "editor.autoClosingBrackets": "never",
};

function block(index: number): string {
  return `

class Block${index}(nn.Module):
    def __init__(self, width=${16 + (index % 8)}):
        super().__init__()
        self.first = nn.Linear(width, 2 * width)
        self.second = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, features):
        hidden = torch.relu(self.first(self.norm(features)))
        mixed = self.second(hidden)
        if self.training:
            mixed = torch.dropout(mixed, 0.1, True)
        total = features + mixed
        scale = total.mean(dim=-1, keepdim=True)
        return total / scale


def use_${index}():
    block = Block${index}()
    return block(torch.randn(4, ${16 + (index % 8)}))
`;
}

function long(): string {
  const text = `import torch\nfrom torch import nn\n${Array.from({ length: 80 }, (_, index) => block(index)).join("")}`;
  const rest = 1999 - text.split("\n").length;
  return `${text}${"# the rest\n".repeat(rest)}`;
}

async function main(): Promise<void> {
  const host = await start({ files: { "long.py": long() }, settings: QUIET });
  const code = await Workbench.open(host.url);
  await code.open("long.py");
  await code.editor.locator(".view-line").first().click();
  await code.page.keyboard.press("Control+End");
  await code.page.keyboard.type("x = torch.zeros(2, 3)\n", { delay: PAUSE_MS });
  const squiggles = code.editor.locator(".squiggly-error");
  const times: number[] = [];
  for (let index = 0; index < TIMES; index++) {
    await code.page.keyboard.type("y = x.T.view(6)", { delay: PAUSE_MS });
    const typed = Date.now();
    await squiggles
      .first()
      .waitFor()
      .catch(async (error) => {
        await code.shot("FAILED-speed");
        throw error;
      });
    times.push(Date.now() - typed);
    await code.page.keyboard.press("Home");
    await code.page.keyboard.press("Shift+End");
    await code.page.keyboard.press("Delete");
    await eventually(async () => (await squiggles.count()) === 0);
  }
  times.sort((one, other) => one - other);
  const of = (part: number) => times[Math.min(times.length - 1, Math.floor(part * times.length))];
  console.log(`keystroke to squiggle, ms: median ${of(0.5)}, 90 % ${of(0.9)}, all ${times.join(" ")}`);
  console.log(
    host
      .log()
      .match(/.*(?:activated|server:|runs in).*/g)
      ?.join("\n"),
  );
  await quit();
  host.stop();
  process.exit(0);
}

void main();
