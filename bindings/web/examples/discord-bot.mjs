// A Discord bot that answers a message with a table of the values in its attached files. With discord.js 14:
//   import { Client, GatewayIntentBits as Intents } from "discord.js";
//   import { answer } from "./discord-bot.mjs";
//   const client = new Client({ intents: [Intents.Guilds, Intents.GuildMessages, Intents.MessageContent] });
//   client.on("messageCreate", answer);
//   client.login(process.env.DISCORD_TOKEN);
import { DecodeError, detect, detectFile, Model, toNotation } from "enginewire";

/** Discord takes no longer message, and the bot reads no larger file. */
const [LONGEST, LARGEST] = [2000, 8 << 20];

/** The values of a file: a line for each, with its name and its value. */
function tableOf(bytes) {
  if (["rbxm", "rbxmx"].includes(detectFile(bytes))) {
    const model = Model.open(bytes);
    const rows = model.instances().filter(({ hasAttributes }) => hasAttributes).map(({ index }) => [model.path(index), model.bytes(index)]);
    const width = Math.max(...rows.map(([path]) => path.length));
    return rows.map(([path, value]) => `${path.padEnd(width)}  ${toNotation(value, { format: "roblox-attributes" })}`).join("\n");
  }
  const [best] = detect(bytes);
  if (best === undefined || best.confidence === "possible" || best.framing !== undefined) throw new TypeError("no values that I know");
  return `${best.format}  ${toNotation(bytes, { format: best.format })}`;
}

export async function answer(message) {
  // another bot may answer this one
  if (message.author.bot) return;
  for (const { name, url, size } of message.attachments.values()) {
    if (size > LARGEST) continue;
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    const read = (async () => tableOf(bytes))();
    const text = await read.catch((error) => (error instanceof DecodeError ? error.report : error.message));
    // what a file contains cannot end the block
    const shown = text.replaceAll("`", "'").slice(0, LONGEST - name.length - 20);
    await message.reply(`**${name}**\n\`\`\`\n${shown}\n\`\`\``);
  }
}
