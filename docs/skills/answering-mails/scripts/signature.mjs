const [desk = "mail"] = process.argv.slice(2);
process.stdout.write(`The ${desk} desk`);
